import { getCACertificates } from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici';
import type { Clock } from '../clock.ts';
import { LEAST_TLS } from '../least-tls.ts';
import { isLoopback, normaliseBaseUrl } from './base-url.ts';
import type { Credential } from './credential.ts';
import { encodePath } from './path.ts';
import { type RawAnswer, type Reply, readAnswer } from './reply.ts';
import { CONNECT_MS, describeError, ExplainedError } from './transport-errors.ts';

/** One request; `path` holds raw segments after the base address, each is encoded here. */
export interface ApiRequest {
  /** For metrics only. */
  readonly operation: string;
  readonly method: 'GET' | 'PUT' | 'PATCH';
  readonly path: readonly string[];
  readonly body?: string;
  readonly credential: Credential;
  /** Asked when the connection stands, right before the first byte leaves; false calls it off. */
  readonly begin: () => boolean;
}

export interface ApiClientOptions {
  readonly baseUrl: URL;
  /** PEM, trusted in addition to the usual roots. */
  readonly ca?: string | undefined;
  /** For the whole call: connecting, sending, and reading the body. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly version: string;
  /** Breaks off all calls, and lets no other begin. */
  readonly stop: AbortSignal;
  /** Of each call but those called off. `code`: the HTTP status, or `none` without an answer. */
  readonly onCall?: (call: { operation: string; code: string; durationMs: number }) => void;
  /** In place of connections of its own. */
  readonly dispatcher?: Dispatcher | undefined;
}

export type ApiClient = ReturnType<typeof createApiClient>;

/** Makes the one client of a process. Its proxy is that of the usual environment variables. */
export function createApiClient(options: ApiClientOptions) {
  const { clock, onCall } = options;
  const baseUrl = normaliseBaseUrl(options.baseUrl);
  const dispatcher = options.dispatcher ?? openConnections(options);
  /**
   * Makes at most one request and never throws for what the network or the API does; rejects with
   * RangeError for an empty, `.` or `..` segment.
   */
  const call = async (request: ApiRequest): Promise<Reply> => {
    const url = new URL(baseUrl + encodePath(request.path));
    const startedAt = clock.monotonic();
    const reply = await exchange(dispatcher, url, request, options);
    const code = reply.answered ? String(reply.httpStatus) : 'none';
    const durationMs = clock.monotonic() - startedAt;
    if (reply.answered || !reply.calledOff)
      onCall?.({ operation: request.operation, code, durationMs });
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
    proxyTls: connect,
    proxyTunnel: true,
    clientFactory: openProxy,
    ...(isLoopback(baseUrl.hostname) && { noProxy: '*' }),
  });
}

/** Asks a proxy for tunnels; without a time limit one that says nothing holds a call for 300 s. */
function openProxy({ origin }: URL, options: Pool.Options): Dispatcher {
  const pool = new Pool(origin, { ...options, headersTimeout: CONNECT_MS });
  return pool.compose((dispatch) => (request, handler) => {
    const fail = handler.onResponseError?.bind(handler);
    handler.onResponseError = (controller, error) =>
      fail?.(controller, new ExplainedError(describeError(error, `the proxy ${origin}`)));
    return dispatch(request, handler);
  });
}

const CALLED_OFF = new ExplainedError('the call was stopped by this process');

async function exchange(
  dispatcher: Dispatcher,
  url: URL,
  request: ApiRequest,
  { clock, timeoutMs, version, stop }: ApiClientOptions,
): Promise<Reply> {
  const { method, credential, body } = request;
  const over = new AbortController();
  const ended = new Promise<never>((_, reject) => {
    over.signal.addEventListener('abort', () => reject(over.signal.reason as Error));
  });
  const cancelDeadline = clock.at(timeoutMs, () =>
    over.abort(new ExplainedError(`no answer within ${timeoutMs / 1000}s`)),
  );
  const onStop = (): void => over.abort(CALLED_OFF);
  stop.addEventListener('abort', onStop);
  let sent = false;
  const begin = (): void => {
    if (sent) throw new errors.SocketError('a request is never sent twice');
    over.signal.throwIfAborted();
    if (stop.aborted || !request.begin()) throw CALLED_OFF;
    sent = true;
  };
  try {
    const response = dispatcher.compose(asking(begin)).request({
      origin: url.origin,
      path: url.pathname,
      method,
      headers: {
        authorization: credential.authorization,
        accept: 'application/json',
        'user-agent': `pipewright/${version}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      body: body ?? null,
      signal: over.signal,
    });
    // undici ends a request that waits for its connection only when that stands.
    const { statusCode, headers, body: stream } = await Promise.race([response, ended]);
    const raw = { httpStatus: statusCode, headers, body: await readBody(stream) };
    return readAnswer(raw, { nowMs: clock.now(), mask: credential.mask });
  } catch (error) {
    const calledOff = error === CALLED_OFF && !sent;
    const cause = describeError(error, url.host);
    return { answered: false, sent, cause, ...(calledOff && { calledOff }) };
  } finally {
    cancelDeadline();
    stop.removeEventListener('abort', onStop);
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
    return { defect: isTooLarge ? 'is larger than 1 MiB' : 'broke off' };
  }
}
