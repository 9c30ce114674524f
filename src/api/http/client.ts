import { getCACertificates } from 'node:tls';
import { type Dispatcher, Pool } from 'undici';
import type { Clock } from '../../clock.ts';
import { LEAST_TLS } from '../../least-tls.ts';
import { readAnswer } from '../reply/envelope.ts';
import type { Credential, NoAnswer, Reply } from '../reply/reply.ts';
import { type Ended, Exchange } from './api-exchange.ts';
import { normaliseBaseUrl } from './base-url.ts';
import { encodePath } from './path.ts';
import { proxyName, tunnelThrough } from './proxy.ts';
import { type CallSite, describeCause, describeTimeout } from './transport-errors.ts';

export type { Credential, Reply } from '../reply/reply.ts';

/** One request; `path` holds raw segments after the base address, each is encoded here. */
export interface ApiRequest {
  /** For metrics only. */
  readonly operation: string;
  readonly method: 'GET' | 'PUT' | 'PATCH';
  readonly path: readonly string[];
  readonly body?: string;
  readonly credential: Credential;
  /**
   * Asked right before the first byte leaves, after the connection stands; an objection calls the
   * request off.
   */
  readonly begin?: () => Objection | undefined;
  readonly signal?: AbortSignal;
}

/** Why the caller calls its own request off at the last moment. */
export type Objection = Extract<NoAnswer['aborted'], 'not-permitted' | 'not-wanted'>;

/**
 * Reported once per call that was not called off. `code` is the HTTP status, or `none` without an
 * answer.
 */
export interface CallMetric {
  readonly operation: string;
  readonly code: string;
  readonly durationMs: number;
}

export interface ApiClient {
  /** Normalised: no trailing slash, no `/v1`. */
  readonly baseUrl: string;
  /**
   * Makes at most one request and never throws for what the network or the API does; rejects with
   * RangeError for an empty, `.` or `..` segment.
   */
  call(request: ApiRequest): Promise<Reply>;
  /** Waits for running calls, then closes the connections. */
  close(): Promise<void>;
}

export interface ApiClientOptions {
  readonly baseUrl: URL;
  /** PEM, trusted in addition to the usual roots. */
  readonly ca?: string;
  /**
   * Every connection is a tunnel of this proxy; an http or https URL, which may carry a user name
   * and password.
   */
  readonly proxy?: URL;
  /** For the whole call: connecting, sending, and reading the body. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly version: string;
  /**
   * Asked right before the first byte leaves; false calls the request off (`aborted:
   * 'not-leader'`).
   */
  readonly mayStart: () => boolean;
  readonly onCall?: (metric: CallMetric) => void;
  /** How connections are opened; undici's Pool where absent. */
  readonly open?: (origin: string, options: Pool.Options) => Dispatcher;
}

const LONGEST_CONNECT_MS = 3_000;
const LARGEST_HEADERS = 32 * 1024;

/**
 * Makes the one client of a process: connections are reused, redirects never followed, nothing ever
 * sent twice.
 */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const { timeoutMs, clock, proxy } = options;
  const baseUrl = normaliseBaseUrl(options.baseUrl);
  const { origin, pathname, host } = new URL(baseUrl);
  const prefix = pathname === '/' ? '' : pathname;
  const peer = proxy === undefined ? host : `${host} through ${proxyName(proxy)}`;
  const site: CallSite = {
    peer,
    timeoutMs,
    connectTimeoutMs: Math.min(LONGEST_CONNECT_MS, timeoutMs),
  };
  const pool = openPool(origin, site, options);

  const call = async (request: ApiRequest): Promise<Reply> => {
    const path = prefix + encodePath(request.path);
    const startedAt = clock.monotonic();
    const ended = await exchange({ pool, request, path, options });
    const reply = toReply(ended, { site, request, url: origin + path, nowMs: clock.now() });
    const isCalledOff = !reply.answered && reply.aborted !== undefined;
    if (!isCalledOff)
      options.onCall?.({
        operation: request.operation,
        code: reply.answered ? String(reply.httpStatus) : 'none',
        durationMs: clock.monotonic() - startedAt,
      });
    return reply;
  };
  return { baseUrl, call, close: () => pool.close() };
}

/**
 * HTTP/1.1 only: after an HTTP/2 GOAWAY undici would send a request again. Timeouts are off but the
 * connect one; the call's deadline covers the rest.
 */
function openPool(
  origin: string,
  { connectTimeoutMs }: CallSite,
  { ca, proxy, open = openUndici }: ApiClientOptions,
): Dispatcher {
  const trusted = ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] };
  return open(origin, {
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: LARGEST_HEADERS,
    connect: proxy
      ? tunnelThrough(proxy, { connectTimeoutMs, ...trusted })
      : { ...LEAST_TLS, timeout: connectTimeoutMs, ...trusted },
  });
}

function openUndici(origin: string, options: Pool.Options): Dispatcher {
  return new Pool(origin, options);
}

interface ExchangeCall {
  readonly pool: Dispatcher;
  readonly request: ApiRequest;
  readonly path: string;
  readonly options: ApiClientOptions;
}

function exchange({ pool, request, path, options }: ExchangeCall): Promise<Ended> {
  const { signal } = request;
  return new Promise((resolve) => {
    const handler = new Exchange({
      objection: () => {
        if (!options.mayStart()) return 'not-leader';
        return request.begin?.();
      },
      done: (end) => {
        cancelDeadline();
        signal?.removeEventListener('abort', onAbort);
        resolve(end);
      },
    });
    const onAbort = (): void => handler.stop('signal');
    const cancelDeadline = options.clock.at(options.timeoutMs, () => handler.stop('deadline'));
    if (signal?.aborted) {
      handler.stop('signal');
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    pool.dispatch(
      {
        method: request.method,
        path,
        headers: headersOf(request, options.version),
        body: request.body ?? null,
      },
      handler,
    );
  });
}

function headersOf({ credential, body }: ApiRequest, version: string): Record<string, string> {
  return {
    authorization: credential.authorization,
    accept: 'application/json',
    'user-agent': `pipewright/${version}`,
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
}

interface ReplyContext {
  readonly site: CallSite;
  readonly request: ApiRequest;
  readonly url: string;
  readonly nowMs: number;
}

function toReply(ended: Ended, { site, request, url, nowMs }: ReplyContext): Reply {
  if (ended.kind === 'answer')
    return readAnswer(ended, { url, nowMs, mask: (text) => request.credential.mask(text) });
  if (ended.kind === 'stopped') return stoppedReply(ended, site);
  if (ended.kind === 'failed')
    return { answered: false, sent: ended.sent, cause: describeCause(ended.error, site) };
  return { answered: false, sent: false, cause: calledOffCause[ended.by], aborted: ended.by };
}

function stoppedReply({ by, sent }: Extract<Ended, { kind: 'stopped' }>, site: CallSite): NoAnswer {
  if (by === 'deadline') return { answered: false, sent, cause: describeTimeout(site) };
  return { answered: false, sent, cause: calledOffCause.signal, ...(!sent && { aborted: by }) };
}

const calledOffCause = {
  'not-leader': 'not sent: this process could not renew its leadership in time',
  'not-permitted': 'not sent: calls with this key were paused meanwhile',
  'not-wanted': 'not sent: its object was changed, suspended or deleted meanwhile',
  signal: 'the call was stopped by this process',
} as const satisfies Record<NonNullable<NoAnswer['aborted']>, string>;
