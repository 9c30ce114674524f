import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import type { KubeClient } from '../client/client.ts';
import { KubeError } from '../client/kube-error.ts';
import { pause } from '../pause.ts';
import { compareVersions, type KubeObject } from '../resource.ts';
import { acceptMetadata, currentVersion, listAll, selectorsOf } from './list.ts';
import { parseWatchLine, type WatchEvent, type WatchLine } from './watch-event.ts';
import { createTrouble } from './watch-trouble.ts';

/** What receives a watch's news. None of these may throw. */
export interface WatchSink<T> {
  /**
   * Cuts an object to what is used as soon as it is parsed, so that no list stands in memory whole;
   * before `replace` and `apply`.
   */
  trim?(object: T): T;
  /**
   * The whole list as of `resourceVersion`: what is not in it does not exist. `isRestored`: since
   * the last list the server went back in time.
   */
  replace(objects: T[], resourceVersion: string, isRestored: boolean): void;
  apply(event: WatchEvent, object: T): void;
  /** Nothing up to `resourceVersion` is still to come. */
  bookmark?(resourceVersion: string): void;
  /**
   * The newest version that is held, whoever brought it: no list that is asked for after that is
   * older, but of a server that is behind or went back.
   */
  newest?(): string;
  /**
   * List or watch was refused or broke; the watch goes on trying. Called once per change of cause.
   */
  failed?(error: KubeError): void;
}

/** `listing` until the first list is complete and after 410; `waiting` between failed attempts. */
export type WatchState = 'listing' | 'watching' | 'waiting' | 'stopped';

export interface WatchOptions<T extends KubeObject> {
  readonly client: KubeClient;
  /** The collection, from `collectionPath`. */
  readonly path: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** Ask for PartialObjectMetadata: neither spec nor data ever leaves the server. */
  readonly metadataOnly?: boolean;
  /** Objects per page of the list; default 500. */
  readonly pageSize?: number;
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the watch; nothing reaches the sink afterwards. */
  readonly signal: AbortSignal;
  readonly sink: WatchSink<T>;
  readonly onState?: (state: WatchState) => void;
  /** 0 to 1, for jitter; default Math.random. */
  readonly random?: () => number;
}

export interface Watch {
  /**
   * Resolves after the first complete list has reached the sink; stays pending when stopped before.
   */
  readonly synced: Promise<void>;
  /** Resolves when the watch has ended after its signal; never rejects. */
  readonly stopped: Promise<void>;
}

const WATCH_SECONDS = 60;
const WATCH_SECONDS_SPREAD = 15;
/**
 * The server ends a watch by itself after `timeoutSeconds`: one that is still silent by then is
 * dead.
 */
const SILENCE_GRACE_MS = 5_000;
/** A watch that stood this long was no failure, whatever ended it. */
const STEADY_MS = 5_000;
/** So many refusals in a row, and resuming from the version we have is given up. */
const RESUME_TRIES = 5;
/**
 * A list older than what was seen already is refused for this long; then the server was restored
 * from a backup.
 */
const STALE_LIST_MS = 60_000;

/** What one watch of a client has seen holds for all. */
interface Restores {
  /** How often one of them has seen that the server was restored. */
  readonly times: number;
  /** The version that has told so last. */
  readonly version: string;
}

const RESTORES = new WeakMap<KubeClient, Restores>();

/**
 * Lists, then watches until its signal is raised. Whatever happens it goes on; sink, `onState` and
 * the log are told.
 */
export function startWatch<T extends KubeObject>(options: WatchOptions<T>): Watch {
  const { client, path, clock, log, signal, sink, random = Math.random } = options;
  const synced = Promise.withResolvers<void>();
  const trouble = createTrouble({
    log,
    path,
    seed: `${path}?${options.fieldSelector ?? ''}#${random()}`,
    onChange: (error) => sink.failed?.(error),
  });
  let state: WatchState | undefined;
  /** Where to resume; undefined: a list is needed. */
  let version: string | undefined;
  let seen = '';
  let staleSince: number | undefined;
  let broke = false;
  let restores = restoresOf(client).times;
  /** When the last watch was over at the latest. */
  let overAt = Number.POSITIVE_INFINITY;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const error = await once().then(() => undefined, asKubeError);
      if (signal.aborted) break;
      if (error) broke = true;
      if (error && needsList(error, trouble.count)) version = undefined;
      if (error && error.status !== 410) trouble.tell(error);
      const waitMs = trouble.wait(error);
      if (waitMs > 0) {
        if (error) turn('waiting');
        await pause(clock, waitMs, signal);
      }
    }
    turn('stopped');
  }

  /** One list where needed, then one watch until it ends. Throws what broke it. */
  async function once(): Promise<void> {
    // Who comes so late stood still: the server may have been restored after it had ended the watch
    // as it always does.
    const begunAt = clock.monotonic();
    const isUnsure = broke || begunAt > overAt || restores !== restoresOf(client).times;
    if (version !== undefined && isUnsure) await makeSure();
    if (restores !== restoresOf(client).times) version = undefined;
    if (version === undefined) {
      turn('listing');
      await list();
    }
    if (version !== undefined) await follow(version, begunAt);
  }

  /**
   * A server restored from a backup says nothing to a watch from a version that it has yet to
   * reach, and does not refuse it.
   */
  async function makeSure(): Promise<void> {
    const newest = newestSeen();
    take(await currentVersion(options), newest);
    broke = false;
  }

  async function list(): Promise<void> {
    const known = restoresOf(client).times;
    const newest = newestSeen();
    const { objects, resourceVersion } = await listAll<T>({ ...options, trim: trimOf(sink) });
    if (signal.aborted) return;
    const wentBack = take(resourceVersion, newest);
    const isRestored = wentBack || restores !== known;
    broke = false;
    restores = wentBack ? known + 1 : known;
    version = resourceVersion;
    sink.replace(objects, resourceVersion, isRestored);
    trouble.works();
    synced.resolve();
  }

  async function follow(from: string, begunAt: number): Promise<void> {
    const seconds = WATCH_SECONDS + Math.floor(random() * (WATCH_SECONDS_SPREAD + 1));
    const endMs = seconds * 1000 + SILENCE_GRACE_MS;
    overAt = begunAt + endMs;
    let openedAt = Number.POSITIVE_INFINITY;
    const lines = client.stream({
      path,
      query: {
        ...selectorsOf(options),
        watch: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: from,
        timeoutSeconds: String(seconds),
      },
      ...(options.metadataOnly ? { accept: acceptMetadata('PartialObjectMetadata') } : {}),
      signal,
      silenceMs: endMs,
      onOpen: () => {
        openedAt = clock.monotonic();
        trouble.works();
        turn('watching');
      },
    });
    try {
      for await (const line of lines) {
        if (signal.aborted) return;
        deliver(parseWatchLine<T>(path, line));
      }
    } finally {
      if (version !== from || clock.monotonic() - openedAt >= STEADY_MS) trouble.reset();
    }
  }

  function deliver(line: WatchLine<T>): void {
    version = line.resourceVersion;
    if (compareVersions(version, seen) > 0) seen = version;
    if (line.type === 'BOOKMARK') sink.bookmark?.(line.resourceVersion);
    else sink.apply(line.type, sink.trim ? sink.trim(line.object) : line.object);
  }

  /**
   * Takes a version that the server tells for the newest seen; true: it went back in time. Throws
   * while an older one than was seen may be that of a server which is behind.
   */
  function take(resourceVersion: string, newest: string): boolean {
    const isOlder = compareVersions(resourceVersion, newest) < 0;
    if (!isOlder && staleSince === undefined) {
      seen = resourceVersion;
      return false;
    }
    staleSince ??= clock.monotonic();
    // One that has caught up since it was first seen to be older counts its versions anew all the
    // same.
    if (isOlder && clock.monotonic() - staleSince < STALE_LIST_MS) {
      const body = `the server is at version ${resourceVersion}, but ${newest} was seen already`;
      throw new KubeError({ call: `GET ${path}`, status: 0, reason: 'StaleList', body });
    }
    log.warn(
      { path, version: resourceVersion, seen: newest },
      'the API server went back to an older state, as after a restored backup; listing again',
    );
    staleSince = undefined;
    seen = resourceVersion;
    RESTORES.set(client, { times: restoresOf(client).times + 1, version: resourceVersion });
    return true;
  }

  function newestSeen(): string {
    const { times, version: told } = restoresOf(client);
    // What is held from before a restore says nothing of the versions after it.
    const other = restores === times ? (sink.newest?.() ?? '') : told;
    return compareVersions(other, seen) > 0 ? other : seen;
  }

  function turn(next: WatchState): void {
    if (next === state) return;
    state = next;
    options.onState?.(next);
  }

  /** A defect in the sink must not end the watch; it starts over with a list. */
  function asKubeError(cause: unknown): KubeError {
    if (cause instanceof KubeError) return cause;
    const body = cause instanceof Error ? cause.message : 'unknown';
    return new KubeError({ call: `GET ${path}`, status: 0, reason: 'Defect', body, cause });
  }

  return { synced: synced.promise, stopped: run() };
}

function needsList(error: KubeError, failures: number): boolean {
  if (
    error.status === 410 ||
    error.status === 404 ||
    error.reason === 'Unreadable' ||
    error.reason === 'Defect'
  )
    return true;
  return error.status !== 0 && failures > 0 && failures % RESUME_TRIES === 0;
}

function restoresOf(client: KubeClient): Restores {
  return RESTORES.get(client) ?? { times: 0, version: '' };
}

function trimOf<T>(sink: WatchSink<T>): (object: T) => T {
  return (object) => (sink.trim ? sink.trim(object) : object);
}
