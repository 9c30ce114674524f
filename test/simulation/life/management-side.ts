import { readBasic } from '../../simulator/api-keys.ts';
import { basic } from '../../simulator/someone-else.ts';
import type { CallBehaviour } from '../../simulator/types.ts';
import { withKey } from '../management/key-shown.ts';
import type { Crossing, Fate, Server, WireReply, WireRequest } from '../network/wire.ts';
import type { ApiCall, EndpointView, Reply } from '../record/facts.ts';
import type { Life } from './life.ts';
import type { Mishap } from './world.ts';

/** The key of the other client. */
export const SOMEBODY = { id: 'somebody-else', secret: 'secret-of-somebody-else' };
/** An answer that shows the key of its caller wherever there is room. */
export const SHOWS_KEY = 'the answer shows the key of the caller';

/** The management API, as the operator's processes reach it; keeps the record of every call. */
export class ManagementSide implements Server {
  readonly #life: Life;
  readonly #calls = new Map<number, { readonly call: ApiCall; readonly mishap?: Mishap }>();

  constructor(life: Life) {
    this.#life = life;
  }

  connectMs(): number | undefined {
    return this.#life.weather.apiIsDown ? undefined : 12;
  }

  fate(crossing: Crossing): Fate {
    const { call, mishap } = this.#of(crossing);
    return { ...this.#life.plainFate(call.name, 'api'), ...mishap?.fate };
  }

  asks(crossing: Crossing): void {
    const call = this.#callOf(crossing);
    const { name, process, target: about } = call;
    const mishap = this.#life.befall({ name, isCall: true, process, about });
    this.#calls.set(crossing.id, { call, ...(mishap && { mishap }) });
    if (mishap?.acts?.when === 'asks') mishap.acts.run(this.#life);
  }

  left(crossing: Crossing): void {
    const { call, mishap } = this.#of(crossing);
    call.leftAt = this.#life.timeline.now;
    this.#life.tell({ what: 'leaves', call });
    if (mishap?.acts?.when === 'leaves') mishap.acts.run(this.#life);
  }

  serve(crossing: Crossing): WireReply {
    const { call, mishap } = this.#of(crossing);
    const { weather, api } = this.#life;
    const answer = mishap?.answer ?? weather.apiAnswers;
    const { reply, moves } = api.work(crossing.request, {
      ...mannersOf(this.#life, call.target),
      ...(answer && { answer }),
    });
    const { status, headers = {}, text: body } = reply;
    call.executions.push({ status, moves });
    this.#life.tell({ what: 'done', call });
    if (mishap?.acts?.when === 'done') mishap.acts.run(this.#life);
    const plain = { status, headers, body };
    if (mishap?.text !== SHOWS_KEY) return plain;
    const { authorization = '' } = crossing.request.headers;
    return withKey(plain, authorization);
  }

  answered(crossing: Crossing, { status, headers = {}, body }: WireReply): void {
    const { call } = this.#of(crossing);
    call.reply = { at: this.#life.timeline.now, status, headers, ...readBody(body) };
    this.#life.tell({ what: 'answered', call });
  }

  unanswered(crossing: Crossing, why: string): void {
    const { call } = this.#of(crossing);
    if (call.leftAt < 0) return;
    call.unanswered = { at: this.#life.timeline.now, why };
    this.#life.tell({ what: 'unanswered', call });
  }

  /** Another client changes an organization with a key of its own. */
  changeAsSomebody(id: string, change: OtherChange): number {
    const { name, add, remove } = change;
    const work = this.#life.api.work(
      {
        method: 'PATCH',
        path: `/v1/organizations/${id}`,
        headers: {
          authorization: basic(SOMEBODY.id, SOMEBODY.secret),
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          ...(name !== undefined && { name }),
          ...((add || remove) && { privateEndpoints: { add, remove } }),
        }),
      },
      { organization: { refusedIds: [], refuseRemoves: [] } },
    );
    if (work.moves) this.#life.tell({ what: 'other', organizationId: id, moves: work.moves });
    return work.reply.status;
  }

  #of(crossing: Crossing): { readonly call: ApiCall; readonly mishap?: Mishap } {
    const known = this.#calls.get(crossing.id);
    if (!known) throw new Error(`request ${crossing.id} never left`);
    return known;
  }

  #callOf({ id, host, request }: Crossing): ApiCall {
    const { method, path, headers, body } = request;
    const target = targetOf(request);
    return {
      id,
      name: this.#life.number(`${method} ${target}`),
      process: host,
      method,
      path,
      text: body,
      body: body === '' ? {} : JSON.parse(body),
      credential: readBasic(headers.authorization) ?? { keyId: '', secret: '' },
      target,
      leftAt: -1,
      executions: [],
    };
  }
}

export interface OtherChange {
  readonly name?: string;
  readonly add?: readonly EndpointView[];
  readonly remove?: readonly EndpointView[];
}

/** How the operations behave for whatever is asked of this target. */
function mannersOf(life: Life, target: string): CallBehaviour {
  const { organizations, pipes } = life.world;
  const all = [
    ...organizations.filter(({ id }) => target === `organization ${id}`),
    ...pipes.filter(({ pipeId }) => target.startsWith('pipe ') && target.endsWith(`/${pipeId}`)),
  ].flatMap(({ manners }) => manners.filter(({ name }) => life.may(`manner ${name}`)));
  return {
    organization: Object.assign({}, ...all.map(({ behaviour }) => behaviour.organization)),
    settings: Object.assign({}, ...all.map(({ behaviour }) => behaviour.settings)),
  };
}

/** What a request is about, in the words of `targetOfSpec`. */
function targetOf({ path }: WireRequest): string {
  const [, , , organization = '', part, service = '', , pipe = ''] = path
    .split('/')
    .map(decodeURIComponent);
  if (part === 'services') return `pipe ${organization}/${service}/${pipe}`;
  if (part === 'activities') return `activity ${organization}/${service}`;
  return `organization ${organization}`;
}

function readBody(body: WireReply['body']): Pick<Reply, 'error' | 'result'> {
  try {
    const { error, result } = (JSON.parse(String(body)) ?? {}) as Partial<Reply>;
    const said = (error ?? null) === null ? undefined : String(error);
    return { error: said, result: typeof result === 'object' ? (result ?? undefined) : undefined };
  } catch {
    return { error: undefined, result: undefined };
  }
}
