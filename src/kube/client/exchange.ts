import type { Dispatcher } from 'undici';
import type { Clock } from '../../clock.ts';
import type { Cluster } from './cluster.ts';
import type { Deadline } from './deadline.ts';
import { Incoming } from './incoming.ts';
import { KubeError, noAnswer, refusal } from './kube-error.ts';
import type { Transport } from './transport.ts';

/** One call as it goes out; `verb` is for metrics. */
export interface Outgoing
  extends Pick<RequestCall, 'method' | 'path' | 'query' | 'body' | 'contentType' | 'accept'> {
  readonly verb: string;
}

export interface Answer {
  readonly body: AsyncIterable<Uint8Array>;
  /** What to say when the body breaks off. */
  readonly broken: (cause: unknown) => KubeError;
}

export interface ExchangeOptions {
  readonly cluster: Cluster;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly onRequest: ((record: RequestRecord) => void) | undefined;
}

const LARGEST_ERROR = 64 * 1024;

/**
 * Sends a call until its answer has begun. A 401 is tried once more with a fresh identity, a read
 * whose connection broke under it once more on another. Throws KubeError for everything but 2xx.
 */
export function createExchange({
  cluster,
  transport,
  clock,
  userAgent,
  onRequest,
}: ExchangeOptions) {
  const base = cluster.server.pathname.replace(/\/$/, '');

  async function send(call: Outgoing, deadline: Deadline): Promise<Answer> {
    const name = `${call.method} ${call.path}`;
    const first = await attempt(call, name, deadline).catch((error: unknown) => {
      if (call.method !== 'GET' || deadline.cause !== undefined || !brokeUnderUs(error))
        throw error;
      return attempt(call, name, deadline);
    });
    if (first.statusCode !== 401) return finish(first, name, deadline);
    await readText(answerOf(first, name, deadline), LARGEST_ERROR).catch((error: unknown) => {
      // A refusal that breaks off half-way is one all the same.
      if (deadline.cause !== undefined || transport.isClosed()) throw error;
    });
    await deadline.race(cluster.renew()).catch((error: unknown) => {
      throw broken(name, deadline, undefined, error);
    });
    return finish(await attempt(call, name, deadline), name, deadline);
  }

  async function attempt(call: Outgoing, name: string, deadline: Deadline): Promise<Reply> {
    const record = (code: string): void => onRequest?.({ verb: call.verb, code });
    let pool: Dispatcher | undefined;
    try {
      const { headers, tls } = await deadline.race(cluster.credentials());
      pool = transport.pool(tls);
      const incoming = new Incoming();
      deadline.onOver((reason) => incoming.abort(reason));
      pool.dispatch(
        {
          method: call.method,
          path: base + call.path,
          ...(call.query ? { query: call.query } : {}),
          headers: headersOf(call, headers),
          body: call.body === undefined ? null : JSON.stringify(call.body),
        },
        incoming,
      );
      const { statusCode, headers: answered } = await incoming.head;
      record(String(statusCode));
      const retryAfter = String(answered['retry-after'] ?? '');
      return { statusCode, body: incoming, retryAfter, pool };
    } catch (error) {
      record('<error>');
      throw broken(name, deadline, pool, error);
    }
  }

  function headersOf(
    call: Outgoing,
    identity: Readonly<Record<string, string>>,
  ): Record<string, string> {
    const type =
      call.contentType ??
      (call.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
    return {
      ...identity,
      accept: call.accept ?? 'application/json',
      'user-agent': userAgent,
      ...(call.body === undefined ? {} : { 'content-type': type }),
    };
  }

  async function finish(reply: Reply, name: string, deadline: Deadline): Promise<Answer> {
    const { statusCode: status, retryAfter } = reply;
    const answer = answerOf(reply, name, deadline);
    if (status >= 200 && status < 300) return answer;
    const text = await readText(answer, LARGEST_ERROR);
    throw refusal({
      call: name,
      status,
      body: text ?? '',
      retryAfter: retryAfter || undefined,
      clock,
    });
  }

  function answerOf({ body, pool }: Reply, name: string, deadline: Deadline): Answer {
    return { body, broken: (cause) => broken(name, deadline, pool, cause) };
  }

  /**
   * A connection that let a call wait for its whole time may be dead without anyone having been
   * told.
   */
  function broken(
    name: string,
    deadline: Deadline,
    pool: Dispatcher | undefined,
    cause: unknown,
  ): KubeError {
    if (deadline.cause === 'timeout') {
      if (pool) transport.retire(pool);
      const what = pool ? 'nothing' : "no credential from the kubeconfig's exec plugin";
      const body = `${what} within ${deadline.lengthMs / 1000} s`;
      return new KubeError({ call: name, status: 0, reason: 'Timeout', body });
    }
    if (deadline.cause === 'caller')
      return new KubeError({ call: name, status: 0, reason: 'Aborted', body: '' });
    return noAnswer(name, cause);
  }

  return { send };
}

interface Reply {
  readonly statusCode: number;
  readonly body: Incoming;
  readonly retryAfter: string;
  readonly pool: Dispatcher;
}

const BROKEN_CONNECTION = /^(UND_ERR_SOCKET|UND_ERR_INFO|ECONNRESET|EPIPE|ERR_HTTP2_.*)$/;

function brokeUnderUs(error: unknown): boolean {
  const cause: unknown = error instanceof KubeError ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && BROKEN_CONNECTION.test(String(cause.code));
}

/**
 * The whole body as text; undefined when it is longer than `most` bytes, which are not read then.
 * Throws KubeError when it breaks off.
 */
export async function readText(
  { body, broken }: Answer,
  most: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      size += chunk.length;
      if (size > most) return undefined;
      chunks.push(chunk);
    }
  } catch (error) {
    throw broken(error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** One short call. Paths come from resource.ts, so that every segment is encoded. */
export interface RequestCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`; for PATCH `application/merge-patch+json`. */
  readonly contentType?: string;
  readonly accept?: string;
  readonly signal?: AbortSignal;
  /** For the whole call, connection and body included; default 20 s. */
  readonly timeoutMs?: number;
}

/** One finished call, for metrics. `code` is the HTTP status, or `<error>` where no answer came. */
export interface RequestRecord {
  readonly verb: string;
  readonly code: string;
}
