import { readBasic } from '../../simulator/api-keys.ts';
import type { ManagementApi } from '../management/api.ts';
import { shownRequestId, withKey } from '../management/key-shown.ts';
import type { Crossing, Fate, Server, WireReply, WireRequest } from '../network/wire.ts';
import type { ApiCall } from '../record/facts.ts';
import type { Life } from './life.ts';

/** So long another call of the same organization finds this one unfinished. */
const ANSWERING_MS = 10;

/** One management API, as the operator's processes reach it; keeps the record of every call. */
export class ManagementSide implements Server {
  readonly #life: Life;
  readonly #host: string;
  readonly #api: ManagementApi;
  readonly #calls = new Map<number, ApiCall>();
  /** Calls whose reply shows their key. */
  readonly #shown = new Set<ApiCall>();

  constructor(life: Life, host: string, api: ManagementApi) {
    this.#life = life;
    this.#host = host;
    this.#api = api;
  }

  connectMs(): number | undefined {
    return this.#life.weather.apiConnectMs();
  }

  fate(crossing: Crossing): Fate {
    return this.#life.weather.apiFate(this.#callOf(crossing));
  }

  left(crossing: Crossing): void {
    const call = this.#callOf(crossing);
    this.#life.tell({ what: 'leaves', call });
    this.#life.adversary.hop('leaves', crossing, call);
  }

  serve(crossing: Crossing): WireReply {
    const call = this.#callOf(crossing);
    const { adversary, weather, timeline } = this.#life;
    adversary.hop('arrives', crossing, call);
    const answer = weather.apiFault(call);
    const { behaviour, showsKey } = weather.behaviourFor(call);
    const { reply, applied, moves, ended } = this.#api.work(crossing.request, {
      ...behaviour,
      ...(answer && { answer }),
    });
    if (ended) timeline.quietlyAt(ANSWERING_MS, ended);
    call.executions.push({
      at: timeline.now,
      status: reply.status,
      applied,
      requestId: reply.requestId,
      moves,
    });
    this.#life.tell({ what: 'done', call });
    const lateMs = adversary.hop('done', crossing, call);
    const { status, headers = {}, text: body } = reply;
    const plain = { status, headers, body, lateMs };
    if (!showsKey && !(answer && weather.troubleShowsKey(call))) return plain;
    this.#shown.add(call);
    const { authorization = '' } = crossing.request.headers;
    return withKey(plain, { id: call.id, authorization });
  }

  answered(crossing: Crossing, { status, headers = {}, body }: WireReply): void {
    const call = this.#callOf(crossing);
    const { requestId: inBody, error, result } = readBody(body);
    const requestId = this.#shown.has(call)
      ? shownRequestId(inBody, headers, call.credential.secret)
      : inBody;
    call.reply = { at: this.#life.timeline.now, status, requestId, error, result, headers };
    this.#life.tell({ what: 'answered', call });
    this.#life.adversary.hop('answered', crossing, call);
  }

  streamed(): void {
    throw new Error('the management API streams nothing');
  }

  unanswered(crossing: Crossing, why: string): void {
    const call = this.#callOf(crossing);
    call.unanswered = { at: this.#life.timeline.now, why };
    this.#life.tell({ what: 'unanswered', call });
  }

  unreached({ host, request }: Crossing): void {
    this.#life.tell({ what: 'unreached', process: host, target: targetOf(request) });
  }

  #callOf(crossing: Crossing): ApiCall {
    const known = this.#calls.get(crossing.id);
    if (known) return known;
    const { method, path, headers, body } = crossing.request;
    const call: ApiCall = {
      id: crossing.id,
      process: crossing.host,
      host: this.#host,
      method,
      path,
      text: body,
      body: body === '' ? undefined : JSON.parse(body),
      credential: readBasic(headers.authorization) ?? { keyId: '', secret: '' },
      target: targetOf(crossing.request),
      leftAt: this.#life.timeline.now,
      executions: [],
    };
    this.#calls.set(crossing.id, call);
    return call;
  }
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

interface Envelope {
  readonly requestId?: unknown;
  readonly error?: unknown;
  readonly result?: unknown;
}

function readBody(body: WireReply['body']) {
  const { requestId, error, result } = envelopeOf(body);
  return {
    requestId: typeof requestId === 'string' ? requestId : undefined,
    error:
      error === undefined || error === null
        ? undefined
        : typeof error === 'string'
          ? error
          : JSON.stringify(error),
    result:
      typeof result === 'object' && result !== null
        ? (result as Readonly<Record<string, unknown>>)
        : undefined,
  };
}

function envelopeOf(body: WireReply['body']): Envelope {
  try {
    const parsed: unknown = typeof body === 'string' ? JSON.parse(body) : undefined;
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}
