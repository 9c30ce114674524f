import type { Work } from '../../simulator/replies.ts';
import { isInFront } from '../../simulator/script.ts';
import { Service } from '../../simulator/service.ts';
import type { CallBehaviour, Fault, ScriptedAnswer, Time } from '../../simulator/types.ts';
import type { WireRequest } from '../network/wire.ts';

/** How the API behaves for one call alone, and what it answers in place of its own. */
export interface Once extends CallBehaviour {
  readonly answer?: ScriptedAnswer;
}

/** What test/simulator does with a call, without its sockets; every key has to be set. */
export class ManagementApi extends Service {
  constructor(time: Time) {
    super({ keys: {} }, time);
  }

  /** Does what a call asks for, unless its key, the limit or `once` forbids it. */
  work(request: WireRequest, { answer, ...play }: Once = {}): Work {
    const { method, path, headers, body: text } = request;
    const { authorization, 'content-type': contentType } = headers;
    const fault: Fault = answer ? { ...answer, play } : { play };
    return this.serve({ method, path, authorization, contentType, text }, (admitted) =>
      admitted || isInFront(fault) ? fault : undefined,
    );
  }
}
