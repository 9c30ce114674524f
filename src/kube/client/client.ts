import { type Clock, systemClock } from '../../clock.ts';
import type { KubeObject } from '../resource.ts';
import type { Cluster } from './cluster.ts';
import { startDeadline } from './deadline.ts';
import { createExchange, type RequestCall, type RequestRecord, readText } from './exchange.ts';
import { isNotFound, KubeError } from './kube-error.ts';
import { LineSplitter } from './lines.ts';
import { createTransport, type OpenConnections } from './transport.ts';

/** One long-lived answer made of lines. */
export interface StreamCall {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly accept?: string;
  readonly signal: AbortSignal;
  /**
   * The stream is broken off when nothing at all arrived for this long; the beginning has the time
   * of a short call.
   */
  readonly silenceMs: number;
  /** The server has said yes; lines may still be long in coming. */
  readonly onOpen?: () => void;
}

/** Access to one API server over few connections that are kept open. */
export interface KubeClient {
  /** Resolves with the parsed JSON body. Throws KubeError and nothing else. */
  request<T>(call: RequestCall): Promise<T>;
  /**
   * Yields one line of JSON at a time. Ends when the server ends it well, throws KubeError when it
   * does not.
   */
  stream(call: StreamCall): AsyncIterable<string>;
  /** Breaks off everything under way. */
  close(): Promise<void>;
}

export interface KubeClientOptions {
  readonly clock?: Clock;
  readonly userAgent?: string;
  /** Called once per answer or failure, retries included; must not throw. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** undici's Pool where absent. */
  readonly open?: OpenConnections;
}

/**
 * The API server keeps a call in line for up to 15 s before it answers 429 with the time to wait: a
 * shorter deadline would leave the line only to join it again.
 */
const DEFAULT_TIMEOUT_MS = 20_000;

const LARGEST_BODY = 64 * 2 ** 20;

/** An object takes at most 1.5 MiB in the server's store; its JSON can be several times that. */
const LONGEST_LINE = 16 * 2 ** 20;

/** A client that keeps few connections open. Close it at the end. */
export function createKubeClient(cluster: Cluster, options: KubeClientOptions = {}): KubeClient {
  const { clock = systemClock, userAgent = 'node', onRequest } = options;
  const transport = createTransport(cluster.server.origin, options.open);
  const exchange = createExchange({ cluster, transport, clock, userAgent, onRequest });

  async function request<T>(call: RequestCall): Promise<T> {
    const deadline = startDeadline(clock, call.timeoutMs ?? DEFAULT_TIMEOUT_MS, call.signal);
    try {
      const answer = await exchange.send({ ...call, verb: call.method }, deadline);
      return parse(`${call.method} ${call.path}`, await readText(answer, LARGEST_BODY)) as T;
    } finally {
      deadline.end();
    }
  }

  async function* stream(call: StreamCall): AsyncGenerator<string, void, undefined> {
    const deadline = startDeadline(
      clock,
      Math.min(DEFAULT_TIMEOUT_MS, call.silenceMs),
      call.signal,
    );
    try {
      const { body, broken } = await exchange.send(
        { ...call, method: 'GET', verb: 'WATCH' },
        deadline,
      );
      deadline.extend(call.silenceMs);
      call.onOpen?.();
      const splitter = new LineSplitter();
      try {
        for await (const chunk of body) {
          deadline.extend();
          for (const line of splitter.push(chunk)) yield line;
          if (splitter.pending > LONGEST_LINE)
            throw brokenStream(call, 'one line is longer than 16 MiB');
        }
      } catch (error) {
        throw broken(error);
      }
      if (splitter.pending > 0) throw brokenStream(call, 'it ended inside a line');
    } finally {
      deadline.end();
    }
  }

  return { request, stream, close: () => transport.close() };
}

function brokenStream({ path }: StreamCall, body: string): KubeError {
  return new KubeError({ call: `GET ${path}`, status: 0, reason: 'BrokenStream', body });
}

function parse(call: string, text: string | undefined): unknown {
  if (text === undefined)
    throw unreadable(call, `the answer is larger than ${LARGEST_BODY / 2 ** 20} MiB`);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unreadable(
      call,
      'the answer is empty, cut short, or not JSON; is this the address of a Kubernetes API server?',
    );
  }
}

/** The call was carried out, but its result cannot be read. */
function unreadable(call: string, body: string): KubeError {
  return new KubeError({ call, status: 200, reason: 'Unreadable', body });
}

/**
 * The object at this path as the API server has it now; undefined where there is none. Throws
 * KubeError.
 */
export async function getObject<T extends KubeObject>(
  client: KubeClient,
  path: string,
  limits: Pick<RequestCall, 'signal' | 'timeoutMs' | 'accept'> = {},
): Promise<T | undefined> {
  try {
    return await client.request<T>({ method: 'GET', path, ...limits });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
