import { createActivities } from '../../simulator/activities.ts';
import { wholeReply } from '../../simulator/answering.ts';
import { createApiKeys, readBasic } from '../../simulator/api-keys.ts';
import { isOperations } from '../../simulator/fault-script.ts';
import { createOrganizations } from '../../simulator/organizations.ts';
import { createSettings } from '../../simulator/pipe-settings.ts';
import { createLimits } from '../../simulator/rate-limits.ts';
import type { Work } from '../../simulator/replies.ts';
import { parsed, serve } from '../../simulator/serving.ts';
import type { Time } from '../../simulator/time.ts';
import type { CallBehaviour, Fault, ScriptedAnswer } from '../../simulator/types.ts';
import type { WireRequest } from '../network/wire.ts';

/**
 * What is special about one call: how the API behaves for it alone, and what it answers in place of
 * its own.
 */
export interface Once extends CallBehaviour {
  readonly answer?: ScriptedAnswer;
}

/**
 * The management API in memory: what test/simulator does with a call, without its sockets. It knows
 * no key but those that are set; pipes and organizations exist as `startSimulator` says: each from
 * its first call on, or those alone that are made.
 */
export class ManagementApi {
  readonly keys;
  readonly limits;
  readonly settings;
  readonly organizations;
  readonly activities;

  constructor(
    time: Time,
    { pipes = [], anyPipe = true }: { pipes?: readonly string[]; anyPipe?: boolean } = {},
  ) {
    this.keys = createApiKeys({}, time);
    this.limits = createLimits(undefined, time);
    this.settings = createSettings({ pipes, anyPipe });
    this.organizations = createOrganizations({ anyOrganization: anyPipe, time });
    this.activities = createActivities(time);
  }

  /**
   * Does what a call asks for, unless its key, the limit or `once` forbids it. The reply has all
   * its headers; until `ended` is called the call is without an answer for others of the same
   * organization. With `answer.by` and its default as for a fault of test/simulator.
   */
  work(request: WireRequest, { answer, ...play }: Once = {}): Work {
    const { method, path, headers, body: text } = request;
    const fault: Fault = answer ? { ...answer, play } : { play };
    const served = serve(
      { keys: this.keys, limits: this.limits, stores: this },
      {
        method,
        path,
        contentType: headers['content-type'],
        text,
        body: parsed(text),
        credential: readBasic(headers.authorization),
      },
      (admitted) => (admitted || !isOperations(fault) ? fault : undefined),
    );
    return { applied: false, ...served.done, reply: wholeReply(served, `/redirected${path}`) };
  }
}
