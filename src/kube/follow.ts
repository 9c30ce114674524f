import { Watch } from '@kubernetes/client-node';
import { waitFor } from '../backoff.ts';
import { type Cancel, type Clock, pause } from '../clock.ts';
import { bugFields, type Log } from '../telemetry/log.ts';
import type { KubeClient } from './client.ts';
import type { Cluster } from './cluster.ts';
import { isExpired, KubeError, noAnswer, refusal } from './errors.ts';
import { isNamed, type KubeObject } from './resource.ts';

/** Where the news of a collection goes. */
export interface Sink<T> {
  /** Cuts an object of a list to what is used, page by page: no list stands in memory whole. */
  trim(object: T): T;
  /** A list is asked for; what this returns takes all of it, and what is not in it is gone. */
  beginList(): (objects: readonly T[], version: string) => void;
  /** The object as the server sent it. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void;
}

export interface FollowOptions<T extends KubeObject> {
  readonly cluster: Cluster;
  readonly client: KubeClient;
  /** The collection, from `collectionPath`. */
  readonly path: string;
  readonly labelSelector: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends it; nothing reaches the sink afterwards. */
  readonly signal: AbortSignal;
  readonly sink: Sink<T>;
  /** A list is complete. */
  readonly onListed: () => void;
  /** List or watch has failed; it is tried again. What this returns is logged. */
  readonly onFailure: (error: KubeError) => string;
}

const PAGE_SIZE = '500';
const PAGE_TIMEOUT_MS = 30_000;
const BACK_OFF = { firstMs: 1_000, capMs: 30_000 };
/** Less than the 30 s of silence after which client-node gives a watch up. */
const LEAST_WATCH_S = 20;
const WATCH_SPREAD_S = 5;
/** The server ends a watch in time: one that still stands by then is dead. */
const SILENCE_GRACE_MS = 5_000;
/** A proxy that ends each watch at once is not asked more often. */
const SHORTEST_WATCH_MS = 1_000;
/** Whatever a watch may have missed is known after so long, ±20 %. */
const LIST_AGAIN_MS = 10 * 3_600_000;

/**
 * Lists a collection and watches it from there, until its signal is raised. A watch that ends as it
 * should goes on where it was; whatever breaks it, a list comes next.
 */
export async function follow<T extends KubeObject>(options: FollowOptions<T>): Promise<void> {
  const { path, clock, log, signal, onFailure } = options;
  /** Where to go on; undefined: a list is needed. */
  let version: string | undefined;
  let listAgainAt = 0;
  let failures = 0;
  /** What was logged last. */
  let cause: string | undefined;

  const works = (): void => {
    failures = 0;
    if (cause !== undefined) log.info({ path }, 'listing and watching again');
    cause = undefined;
  };
  const failed = (error: KubeError): number => {
    version = undefined;
    failures += 1;
    const text = onFailure(error);
    const { status, reason } = error;
    // A version that is too old is everyday life.
    if (isExpired(error) && failures === 1) return 0;
    const now = status === 0 ? text : `${status} ${reason}`;
    if (now !== cause)
      log.warn({ path, status, reason, error: text }, 'cannot list or watch; retrying');
    cause = now;
    return waitFor(BACK_OFF, failures, `${path}/${Math.random()}`);
  };

  while (!signal.aborted) {
    const begunAt = clock.monotonic();
    let waitMs: number;
    try {
      if (version === undefined || begunAt >= listAgainAt) {
        version = await list(options);
        listAgainAt = begunAt + LIST_AGAIN_MS * (0.8 + 0.4 * Math.random());
      }
      await watch(options, version, (to) => {
        version = to;
        works();
      });
      works();
      waitMs = begunAt + SHORTEST_WATCH_MS - clock.monotonic();
    } catch (error) {
      if (signal.aborted) return;
      waitMs = failed(error instanceof KubeError ? error : defect(options, error));
    }
    if (waitMs > 0) await pause(clock, waitMs, signal);
  }
}

interface Page<T> {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string | null };
  readonly items?: readonly T[] | null;
}

/**
 * All objects as of one moment, which is not before the call: no resourceVersion is given, so
 * everything acknowledged before is in it. Gives its version. Throws KubeError.
 */
async function list<T extends KubeObject>(options: FollowOptions<T>): Promise<string> {
  const { client, path, labelSelector, signal, sink, onListed } = options;
  const complete = sink.beginList();
  const objects: T[] = [];
  let next = '';
  for (;;) {
    const query = {
      limit: PAGE_SIZE,
      ...(labelSelector !== undefined && { labelSelector }),
      ...(next !== '' && { continue: next }),
    };
    const call = { method: 'GET', path, query, signal, timeoutMs: PAGE_TIMEOUT_MS } as const;
    const { metadata, items } = (await client.request<Page<T> | null>(call)) ?? {};
    const { resourceVersion: version } = metadata ?? {};
    // Anything else, taken for an empty list, would have all objects be gone.
    if (!version || items === undefined || !(items ?? []).every(isNamed))
      throw failure(path, 'Unreadable', 'the answer is no list of objects');
    for (const item of items ?? []) objects.push(sink.trim(item));
    next = metadata?.continue ?? '';
    if (next !== '') continue;
    if (signal.aborted) return version;
    complete(objects, version);
    onListed();
    return version;
  }
}

/** Resolves when the server has ended the watch as it should, or at the signal; else throws. */
async function watch<T extends KubeObject>(
  options: FollowOptions<T>,
  from: string,
  onMove: (version: string) => void,
): Promise<void> {
  const { cluster, path, labelSelector, clock, signal } = options;
  if (signal.aborted) return;
  const ended = Promise.withResolvers<void>();
  let isOver = false;
  const end = (error?: unknown): void => {
    isOver = true;
    if (error) ended.reject(error);
    else ended.resolve();
  };
  const timeoutSeconds = LEAST_WATCH_S + Math.floor(Math.random() * (WATCH_SPREAD_S + 1));
  const patienceMs = timeoutSeconds * 1000 + SILENCE_GRACE_MS;
  const silent = failure(path, 'Timeout', 'the watch is silent, and did not end in time');
  const startTimer = (): Cancel => clock.at(patienceMs, () => end(silent));
  let cancel = startTimer();
  const stop = (): void => end();
  signal.addEventListener('abort', stop);
  const query = { labelSelector, resourceVersion: from, timeoutSeconds, allowWatchBookmarks: true };
  const onEvent = (type: string, object: unknown): void => {
    if (isOver) return;
    // client-node swallows what is thrown here.
    try {
      onMove(deliver(options, type, object));
    } catch (error) {
      end(error);
    }
  };
  const onEnd = (error: unknown): void => end(error && broken(path, error));
  // Resolves when the answer has begun.
  const opening = new Watch(cluster).watch(path, query, onEvent, onEnd);
  opening.then(
    () => {
      cancel();
      if (!isOver) cancel = startTimer();
    },
    (error: unknown) => end(broken(path, error)),
  );
  try {
    await ended.promise;
  } finally {
    cancel();
    signal.removeEventListener('abort', stop);
    opening.then(
      (connection) => connection.abort(),
      () => {},
    );
  }
}

/** Gives the version that the watch has come to. */
function deliver<T extends KubeObject>(
  { path, sink }: FollowOptions<T>,
  type: string,
  object: unknown,
): string {
  if (type === 'ERROR') {
    const { code } = object as { code?: unknown };
    throw refusal(`GET ${path}`, typeof code === 'number' ? code : 500, object);
  }
  const { resourceVersion } = (object as KubeObject | undefined)?.metadata ?? {};
  if (!resourceVersion)
    throw failure(path, 'Unreadable', 'the watch sent an event without a version');
  if (type === 'BOOKMARK') return resourceVersion;
  if ((type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') || !isNamed(object))
    throw failure(path, 'Unreadable', 'the watch sent what is no event of an object');
  sink.apply(type, object as T);
  return resourceVersion;
}

function failure(path: string, reason: string, body: string): KubeError {
  return new KubeError({ call: `GET ${path}`, status: 0, reason, body });
}

/** client-node tells of an answer other than 200 by its code alone. */
function broken(path: string, error: unknown): KubeError {
  const { statusCode, cause } = error as { statusCode?: unknown; cause?: unknown };
  if (typeof statusCode === 'number') return refusal(`GET ${path}`, statusCode, undefined);
  return noAnswer(`GET ${path}`, cause ?? error);
}

/** A defect of ours must not end the watch; it starts over with a list. */
function defect<T extends KubeObject>({ path, log }: FollowOptions<T>, cause: unknown): KubeError {
  log.error({ path, ...bugFields(cause) }, 'watch failed, a bug; listing again');
  return failure(path, 'Defect', cause instanceof Error ? cause.message : 'unknown');
}
