import { Watch } from '@kubernetes/client-node';
import { waitFor } from '../backoff.ts';
import { type Clock, pause } from '../clock.ts';
import { bugFields, type Log } from '../telemetry/log.ts';
import type { KubeClient } from './client.ts';
import type { Cluster } from './cluster.ts';
import { type KubeError, noAnswer, refusal } from './errors.ts';
import { collectionPath, type KubeObject, type ResourceType } from './resource.ts';
import type { Store } from './store.ts';

export interface FollowOptions {
  readonly cluster: Cluster;
  readonly client: KubeClient;
  readonly labelSelector: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Nothing more is asked for; what is in flight ends with the client. */
  readonly signal: AbortSignal;
}

interface Followed {
  readonly type: ResourceType;
  readonly store: Store<KubeObject>;
}

const PAGE_SIZE = '500';
const PAGE_TIMEOUT_MS = 30_000;
/** Short, so that it is soon noticed where one has died without a word. */
const WATCH_S = 25;
/** The server ends a watch in its time: one that still stands so long after that is dead. */
const WATCH_GRACE_S = 15;
/** A proxy that ends each watch at once is not asked more often. */
const SHORTEST_WATCH_MS = 1_000;
/** Whatever a watch may have missed is known after so long, ±20 %. */
const LIST_AGAIN_MS = 10 * 3_600_000;
const BACK_OFF = { firstMs: 1_000, capMs: 30_000 };
/** A namespace is waited for no more at its first refusal after this, by the back-off the sixth. */
const REFUSAL_PATIENCE_MS = 24_000;

interface Page {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
  readonly items?: readonly KubeObject[];
}

/** With ERROR it is what a refused call is answered with. */
type WatchObject = KubeObject & { readonly code?: number };

export type Informers = ReturnType<typeof startInformers>;

/** Follows every kind in each of the namespaces, or everywhere where none is named. */
export function startInformers(
  followed: readonly Followed[],
  namespaces: readonly string[],
  options: FollowOptions,
) {
  const scopes = namespaces.length === 0 ? [undefined] : namespaces;
  const all = followed.flatMap((one) => scopes.map((scope) => follow(one, scope, options)));
  return {
    /** Resolves when the first list of everything is complete, or is no longer waited for. */
    synced: Promise.all(all.map(({ synced }) => synced)),
    /** What is waited for, and why it is not there, in words; undefined: nothing. */
    missing: () => all.flatMap(({ missing }) => missing() ?? []).join('; ') || undefined,
  };
}

/**
 * Lists one collection and watches it from there. A watch that ends as it should goes on where it
 * was; whatever breaks it, a list comes next.
 */
function follow({ type, store }: Followed, namespace: string | undefined, options: FollowOptions) {
  const { cluster, client, labelSelector, clock, log, signal } = options;
  const path = collectionPath(type, namespace);
  const name = type.plural + (namespace === undefined ? '' : ` in namespace "${namespace}"`);
  const synced = Promise.withResolvers<void>();
  /** Why the first list is not complete; undefined: it is, or is no longer waited for. */
  let missing: string | undefined = 'the first list is not complete';
  /** Where to go on; undefined: a list is needed. */
  let version: string | undefined;
  let listAgainAt = 0;
  let failures = 0;
  let lastFailure: string | undefined;
  let refusedAt = Number.POSITIVE_INFINITY;

  const goOn = (): void => {
    missing = undefined;
    synced.resolve();
  };

  /**
   * All objects as of one moment, which is not before the call: no resourceVersion is given, so
   * everything acknowledged before is in it. Gives its version.
   */
  const list = async (): Promise<string> => {
    const complete = store.beginList(namespace);
    const objects: KubeObject[] = [];
    let next: string | undefined;
    for (;;) {
      const query = { labelSelector, limit: PAGE_SIZE, continue: next || undefined };
      const call = { method: 'GET', path, query, timeoutMs: PAGE_TIMEOUT_MS } as const;
      const { metadata, items } = (await client.request<Page | null>(call)) ?? {};
      // Taken for an empty list, it would have all objects be gone.
      if (!metadata?.resourceVersion || !items)
        throw refusal(`GET ${path}`, 200, { message: 'the answer is no list' });
      for (const item of items) objects.push(store.trim(item));
      next = metadata.continue;
      if (next) continue;
      complete(objects, metadata.resourceVersion);
      goOn();
      return metadata.resourceVersion;
    }
  };

  const works = (): void => {
    if (failures > 0) log.info({ path }, 'listing and watching again');
    failures = 0;
    lastFailure = undefined;
  };

  const deliver = (what: string, object: WatchObject): void => {
    if (what === 'ADDED' || what === 'MODIFIED' || what === 'DELETED') store.apply(what, object);
    else if (what !== 'BOOKMARK') throw refusal(`GET ${path}`, object.code ?? 500, object);
    version = object.metadata.resourceVersion;
    works();
  };

  /** Resolves when the server has ended the watch as it should. */
  const watch = async (resourceVersion: string): Promise<void> => {
    const ended = Promise.withResolvers<void>();
    let isOver = false;
    const onEvent = (what: string, object: WatchObject): void => {
      // What is thrown here would be lost in client-node.
      try {
        if (!isOver) deliver(what, object);
      } catch (error) {
        ended.reject(error);
      }
    };
    const onEnd = (error: unknown): void => (error ? ended.reject(error) : ended.resolve());
    const query = { labelSelector, resourceVersion, timeoutSeconds: WATCH_S };
    const asked = { ...query, allowWatchBookmarks: true };
    const opening = new Watch(cluster).watch(path, asked, onEvent, onEnd);
    opening.catch(onEnd);
    const late = noAnswer(`GET ${path}`, { message: 'the watch did not end in time' });
    const cancel = clock.at((WATCH_S + WATCH_GRACE_S) * 1000, () => ended.reject(late));
    try {
      await ended.promise;
    } finally {
      isOver = true;
      cancel();
      opening.then((connection) => connection.abort(), onEnd);
    }
    works();
  };

  /** Gives how long to wait. */
  const fails = ({ status, reason, message, cause }: KubeError): number => {
    const hint = `the API server knows no ${type.plural}.${type.group}; install the CRDs of this release`;
    const error = status === 404 ? `${hint} (${message})` : message;
    version = undefined;
    failures += 1;
    // A defect of ours says where it is; the network's errors have a code.
    const isDefect = cause instanceof Error && !('code' in cause);
    const details = isDefect ? bugFields(cause) : {};
    if (error !== lastFailure)
      log.warn({ ...details, path, status, reason, error }, 'cannot list or watch; retrying');
    lastFailure = error;
    if (missing !== undefined) missing = error;
    const isRefused = namespace !== undefined && (status === 403 || status === 404);
    refusedAt = isRefused ? Math.min(refusedAt, clock.monotonic()) : Number.POSITIVE_INFINITY;
    if (missing !== undefined && clock.monotonic() - refusedAt > REFUSAL_PATIENCE_MS) {
      log.warn({ list: name }, 'a namespace could not be listed for 30 s; continuing without it');
      goOn();
    }
    return waitFor(BACK_OFF, failures, `${path}/${Math.random()}`);
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const begunAt = clock.monotonic();
      let waitMs: number;
      try {
        if (version === undefined || begunAt >= listAgainAt) {
          version = await list();
          listAgainAt = begunAt + LIST_AGAIN_MS * (0.8 + 0.4 * Math.random());
        }
        await watch(version);
        waitMs = begunAt + SHORTEST_WATCH_MS - clock.monotonic();
      } catch (error) {
        if (signal.aborted) return;
        waitMs = fails(errorOf(error));
      }
      if (waitMs > 0) await pause(clock, waitMs, signal);
    }
  };

  /** client-node tells of an answer other than 200 by its code alone, and of none by `cause`. */
  const errorOf = (error: unknown): KubeError => {
    const { statusCode, cause } = error as { statusCode?: number; cause?: unknown };
    if (statusCode !== undefined) return refusal(`GET ${path}`, statusCode, undefined);
    return noAnswer(`GET ${path}`, cause ?? error);
  };

  void run();
  return { synced: synced.promise, missing: () => missing && `${name}: ${missing}` };
}
