import { getCACertificates } from 'node:tls';
import { buildConnector, type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici';
import type { Clock } from '../clock.ts';
import { LEAST_TLS } from '../least-tls.ts';
import { isLoopback, normaliseBaseUrl } from './base-url.ts';
import type { Credential } from './credential.ts';
import { encodePath } from './path.ts';
import { type NoAnswer, type RawAnswer, type Reply, readAnswer } from './reply.ts';
import { CONNECT_MS, describeError, describeRefusal, ExplainedError } from './transport-errors.ts';

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

/** Of each call but those called off. `code`: the HTTP status, or `none` without an answer. */
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
  readonly ca?: string | undefined;
  /** For the whole call: connecting, sending, and reading the body. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly version: string;
  /** Asked right before the first byte leaves; false calls the request off (`not-leader`). */
  readonly mayStart: () => boolean;
  readonly onCall?: (metric: CallMetric) => void;
  /** In place of connections of its own. */
  readonly dispatcher?: Dispatcher | undefined;
}

/** Makes the one client of a process. Its proxy is that of the usual environment variables. */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const { clock } = options;
  const baseUrl = normaliseBaseUrl(options.baseUrl);
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname === '/' ? '' : pathname;
  const dispatcher = options.dispatcher ?? openConnections(options);

  const call = async (request: ApiRequest): Promise<Reply> => {
    const path = prefix + encodePath(request.path);
    const startedAt = clock.monotonic();
    const reply = await exchange(dispatcher, new URL(origin + path), request, options);
    const code = reply.answered ? String(reply.httpStatus) : 'none';
    const durationMs = clock.monotonic() - startedAt;
    if (reply.answered || !reply.aborted)
      options.onCall?.({ operation: request.operation, code, durationMs });
    return reply;
  };
  return { baseUrl, call, close: () => dispatcher.close() };
}

/**
 * HTTP/1.1 only, and through a proxy always by a tunnel: HTTP/2 and a proxy that forwards may send
 * a request again. Of undici's time limits only those for connecting, as a call has its own.
 */
function openConnections({ baseUrl, ca }: ApiClientOptions): Dispatcher {
  const trusted = ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] };
  const connect = { ...LEAST_TLS, allowH2: false, timeout: CONNECT_MS, ...trusted };
  return new EnvHttpProxyAgent({
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 32 * 1024,
    maxResponseSize: 1024 * 1024,
    // A load balancer that closes an idle connection just as a request goes into it leaves nobody
    // knowing what became of that.
    keepAliveTimeout: 300,
    keepAliveMaxTimeout: 300,
    connect,
    requestTls: connect,
    proxyTunnel: true,
    clientFactory: (proxy) => openProxy(proxy, buildConnector(connect)),
    ...(isLoopback(baseUrl.hostname) && { noProxy: '*' }),
  });
}

/** Asks a proxy for tunnels; without a time limit one that says nothing holds a call for 300 s. */
function openProxy(proxy: URL, connect: buildConnector.connector): Dispatcher {
  const name = `the proxy ${proxy.origin}`;
  const pool = new Pool(proxy.origin, {
    headersTimeout: CONNECT_MS,
    // undici gives an address as its name to a proxy with TLS.
    connect: (target, callback) => connect({ ...target, servername: '' }, callback),
  });
  return pool.compose((dispatch) => (options, handler) => {
    const fail = handler.onResponseError?.bind(handler);
    handler.onResponseError = (controller, error) =>
      fail?.(controller, new ExplainedError(describeError(error, name)));
    const open = handler.onRequestUpgrade?.bind(handler);
    handler.onRequestUpgrade = (controller, status, headers, socket) => {
      if (status === 200) return open?.(controller, status, headers, socket);
      socket.destroy();
      const said = `${name} answered ${status} to the request for a tunnel to ${options.path}`;
      fail?.(controller, new ExplainedError(said + describeRefusal(status)));
    };
    return dispatch(options, handler);
  });
}

async function exchange(
  dispatcher: Dispatcher,
  url: URL,
  request: ApiRequest,
  options: ApiClientOptions,
): Promise<Reply> {
  const { clock, timeoutMs } = options;
  const { method, credential, body, signal } = request;
  const stop = new AbortController();
  const stopped = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error));
  });
  const late = new ExplainedError(`no answer within ${timeoutMs / 1000}s`);
  const cancelDeadline = clock.at(timeoutMs, () => stop.abort(late));
  const onAbort = (): void => stop.abort(new CalledOff('signal'));
  signal?.addEventListener('abort', onAbort);
  let sent = false;
  const begin = (): void => {
    if (sent) throw new errors.SocketError('a request is never sent twice');
    stop.signal.throwIfAborted();
    const objection = options.mayStart() ? request.begin?.() : 'not-leader';
    if (objection) throw new CalledOff(objection);
    sent = true;
  };
  try {
    if (signal?.aborted) throw new CalledOff('signal');
    const response = await Promise.race([
      dispatcher.compose(asking(begin)).request({
        origin: url.origin,
        path: url.pathname,
        method,
        headers: {
          authorization: credential.authorization,
          accept: 'application/json',
          'user-agent': `pipewright/${options.version}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body ?? null,
        signal: stop.signal,
      }),
      // undici ends a request that waits for its connection only when that stands.
      stopped,
    ]);
    const { statusCode: httpStatus, headers } = response;
    const raw = { httpStatus, headers, body: await readBody(response.body) };
    return readAnswer(raw, { url: url.href, nowMs: clock.now(), mask: credential.mask });
  } catch (error) {
    const aborted = error instanceof CalledOff && !sent ? error.by : undefined;
    return { answered: false, sent, cause: describeError(error, url.host), aborted };
  } finally {
    cancelDeadline();
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * Asks right before the first byte is written, in the same turn of the event loop. Where that
 * throws, nothing is written, and the connection is kept.
 */
function asking(begin: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const start = handler.onRequestStart?.bind(handler);
    handler.onRequestStart = (controller, context) => {
      begin();
      start?.(controller, context);
    };
    return dispatch(options, handler);
  };
}

async function readBody(body: Dispatcher.ResponseData['body']): Promise<RawAnswer['body']> {
  try {
    return { text: await body.text() };
  } catch (error) {
    const isTooLarge = error instanceof errors.ResponseExceededMaxSizeError;
    return { state: isTooLarge ? 'too-large' : 'truncated' };
  }
}

const CALLED_OFF = {
  'not-leader': 'not sent: this process could not renew its leadership in time',
  'not-permitted': 'not sent: calls with this key were paused meanwhile',
  'not-wanted': 'not sent: its object was changed, suspended or deleted meanwhile',
  signal: 'the call was stopped by this process',
} as const satisfies Record<NonNullable<NoAnswer['aborted']>, string>;

class CalledOff extends ExplainedError {
  readonly by: keyof typeof CALLED_OFF;

  constructor(by: keyof typeof CALLED_OFF) {
    super(CALLED_OFF[by]);
    this.by = by;
  }
}
