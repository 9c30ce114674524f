import { type Clock, systemClock } from '../clock.ts';
import type { Cluster } from './cluster.ts';
import { isNotFound, KubeError, noAnswer, refusal } from './errors.ts';
import type { KubeObject } from './resource.ts';

/** One call. Paths come from resource.ts, so that every segment is encoded. */
export interface RequestCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON; with PATCH it is a merge patch. */
  readonly body?: unknown;
  /** For the whole call, connection and body included; default 20 s. */
  readonly timeoutMs?: number;
}

/** Calls to one API server. */
export interface KubeClient {
  /** Resolves with the parsed JSON body. Throws KubeError only. */
  request<T>(call: RequestCall): Promise<T>;
  /** Breaks off everything, watches too. */
  close(): Promise<void>;
}

/**
 * The API server keeps a call in line for up to 15 s before it answers 429 with the time to wait: a
 * shorter deadline would leave the line only to join it again.
 */
const DEFAULT_TIMEOUT_MS = 20_000;

export function createKubeClient(cluster: Cluster, clock: Clock = systemClock): KubeClient {
  async function request<T>(call: RequestCall): Promise<T> {
    const { timeoutMs = DEFAULT_TIMEOUT_MS } = call;
    const name = `${call.method} ${call.path}`;
    const late = Promise.withResolvers<never>();
    const broken = new AbortController();
    const cancel = clock.at(timeoutMs, () => {
      const body = `not over within ${timeoutMs / 1000} s`;
      late.reject(new KubeError({ call: name, status: 0, reason: 'Timeout', body }));
      broken.abort();
    });
    try {
      // Not by the signal alone: a plugin that is asked for a credential may hang.
      return (await Promise.race([late.promise, send(cluster, call, broken.signal)])) as T;
    } catch (error) {
      throw noAnswer(name, error);
    } finally {
      cancel();
    }
  }
  return { request, close: () => cluster.close() };
}

async function send(cluster: Cluster, call: RequestCall, signal: AbortSignal): Promise<unknown> {
  const { method, path, query = {}, body } = call;
  const accept = 'application/json';
  const { headers, dispatcher } = await cluster.access();
  const url = new URL(cluster.server + path);
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, value);
  const type = method === 'PATCH' ? 'application/merge-patch+json' : accept;
  const answer = await dispatcher.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: { ...headers, accept, ...(body !== undefined && { 'content-type': type }) },
    body: body === undefined ? null : JSON.stringify(body),
    signal,
  });
  const { statusCode: status } = answer;
  const name = `${method} ${path}`;
  const parsed = parse(await answer.body.text());
  if (status < 200 || status >= 300)
    throw refusal(name, status, parsed, String(answer.headers['retry-after'] ?? ''));
  if (parsed !== undefined) return parsed;
  const problem = 'the answer is empty or no JSON; is this a Kubernetes API server?';
  throw new KubeError({ call: name, status, reason: 'Unreadable', body: problem });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** The object at this path as it is now; undefined: there is none. Throws KubeError. */
export async function getObject<T extends KubeObject>(
  client: KubeClient,
  path: string,
  limits: Pick<RequestCall, 'timeoutMs'> = {},
): Promise<T | undefined> {
  return client.request<T>({ method: 'GET', path, ...limits }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}
