import { type Clock, pause } from '../../clock.ts';
import { bugFields, type Log } from '../../log.ts';
import type { KubeClient } from '../client/client.ts';
import { KubeError } from '../client/kube-error.ts';
import { compareVersions, type KubeObject } from '../resource.ts';
import { acceptMetadata, currentVersion, listAll, selectorsOf } from './list.ts';
import { RestoreDetector } from './restore-detector.ts';
import { parseWatchLine, type WatchEvent, type WatchLine } from './watch-event.ts';
import { createTrouble } from './watch-trouble.ts';

/** What receives a watch's news. None of these may throw. */
export interface WatchSink<T> {
  /**
   * Cuts an object of a list to what is used as soon as its page is parsed, so that no list stands
   * in memory whole; before `replace`.
   */
  trim?(object: T): T;
  /**
   * The whole list as of `resourceVersion`: what is not in it does not exist. `isRestored`: since
   * the last list the server went back in time.
   */
  replace(objects: T[], resourceVersion: string, isRestored: boolean): void;
  /** The object as the server sent it: many are the echo of a write, and need no work. */
  apply(event: WatchEvent, object: T): void;
  /** Nothing up to `resourceVersion` is still to come. */
  bookmark?(resourceVersion: string): void;
  /**
   * The newest version that is held, from the watch or from a reply. No list that is asked for
   * after that is older, except from a server that is behind or went back.
   */
  newest?(): string;
  /**
   * List or watch was refused or broke; the watch goes on trying. Called once per change of cause.
   */
  failed?(error: KubeError): void;
}

/**
 * `listing`: a whole list is needed, at the start and after 410. `waiting`: between failed tries.
 */
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

/** Who waits for a version. */
interface Waiting {
  readonly version: string;
  readonly resolve: () => void;
  readonly failed: (error: KubeError) => void;
}

export interface Watch {
  /**
   * Resolves after the first complete list has reached the sink; stays pending when stopped before.
   */
  readonly synced: Promise<void>;
  /**
   * Resolves when all that was written up to this version has reached the sink: the watch or a list
   * has come so far, or a list that was asked for after this call is complete. Such a list is asked
   * for at once, or after the one that is under way. `failed` is told of each try that fails and
   * must not throw. Stays pending when stopped before.
   */
  reach(version: string, failed: (error: KubeError) => void): Promise<void>;
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
 * Lists, then watches until its signal is raised. Whatever happens it goes on; sink, `onState` and
 * the log are told.
 */
export function startWatch<T extends KubeObject>(options: WatchOptions<T>): Watch {
  const { client, path, clock, log, signal, sink, random = Math.random } = options;
  const trim = (object: T): T => (sink.trim ? sink.trim(object) : object);
  const synced = Promise.withResolvers<void>();
  const trouble = createTrouble({
    log,
    path,
    seed: `${path}?${options.fieldSelector ?? ''}#${random()}`,
    onChange: (error) => sink.failed?.(error),
  });
  const restores = new RestoreDetector({
    client,
    clock,
    log,
    path,
    newestHeld: () => sink.newest?.() ?? '',
  });
  let state: WatchState | undefined;
  /** Where to resume; undefined: a list is needed. */
  let version: string | undefined;
  /** Since the server last told its version, a request broke. */
  let broke = false;
  /** By when the last watch must have ended, with or without an answer. */
  let overAt = Number.POSITIVE_INFINITY;
  const waiting = new Set<Waiting>();
  /** Ends the stream, or the pause, of the moment. */
  let interrupt = new AbortController();
  signal.addEventListener('abort', () => interrupt.abort(), { once: true });

  async function reach(target: string, failed: Waiting['failed']): Promise<void> {
    const isSound = !broke && !restores.needsList;
    if (version !== undefined && isSound && compareVersions(version, target) >= 0) return;
    await new Promise<void>((resolve) => {
      waiting.add({ version: target, resolve, failed });
      interrupt.abort();
    });
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      const error = await once().then(() => undefined, asKubeError);
      if (signal.aborted) break;
      if (!error && waiting.size > 0) continue;
      if (error) broke = true;
      if (error && needsList(error, trouble.count)) version = undefined;
      if (error && error.status !== 410) trouble.report(error);
      if (error) for (const one of waiting) one.failed(error);
      const waitMs = trouble.wait(error);
      if (waitMs > 0) {
        if (error) turn('waiting');
        interrupt = new AbortController();
        await pause(clock, waitMs, interrupt.signal);
      }
    }
    turn('stopped');
  }

  /** One list where needed, then one watch until it ends. Throws what broke it. */
  async function once(): Promise<void> {
    const begunAt = clock.monotonic();
    if (waiting.size > 0) version = undefined;
    if (version !== undefined && mayBeRestored(begunAt)) {
      const asked = restores.ask();
      restores.check(await currentVersion(options), asked);
      broke = false;
    }
    if (restores.needsList) version = undefined;
    if (version === undefined) {
      turn('listing');
      await list();
    }
    if (version !== undefined) await follow(version, begunAt);
  }

  /**
   * Whether the server may have gone back since it was last heard of. A watch from a version that
   * it has yet to reach again is not refused, and hears of nothing.
   */
  function mayBeRestored(now: number): boolean {
    // So late only after a standstill of this process, in which the watch's end was not seen.
    const isLate = now > overAt;
    return broke || isLate || restores.needsList;
  }

  async function list(): Promise<void> {
    const asked = restores.ask();
    const before = [...waiting];
    const { objects, resourceVersion } = await listAll<T>({ ...options, trim });
    if (signal.aborted) return;
    const isRestored = restores.checkList(resourceVersion, asked);
    broke = false;
    version = resourceVersion;
    sink.replace(objects, resourceVersion, isRestored);
    trouble.recovered();
    synced.resolve();
    for (const one of waiting) {
      if (!before.includes(one) && compareVersions(resourceVersion, one.version) < 0) continue;
      waiting.delete(one);
      one.resolve();
    }
  }

  async function follow(from: string, begunAt: number): Promise<void> {
    // Told to stop, or asked for more than the list has that was under way.
    if (signal.aborted || waiting.size > 0) return;
    interrupt = new AbortController();
    const { signal: interrupted } = interrupt;
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
      signal: interrupted,
      silenceMs: endMs,
      onOpen: () => {
        openedAt = clock.monotonic();
        trouble.recovered();
        turn('watching');
      },
    });
    try {
      for await (const line of lines) {
        if (signal.aborted) return;
        deliver(parseWatchLine<T>(path, line));
      }
    } catch (error) {
      if (!interrupted.aborted || !(error instanceof KubeError)) throw error;
    } finally {
      if (version !== from || clock.monotonic() - openedAt >= STEADY_MS) trouble.reset();
    }
  }

  function deliver(line: WatchLine<T>): void {
    version = line.resourceVersion;
    restores.delivered(version);
    if (line.type === 'BOOKMARK') sink.bookmark?.(line.resourceVersion);
    else sink.apply(line.type, line.object);
  }

  function turn(next: WatchState): void {
    if (next === state) return;
    state = next;
    options.onState?.(next);
  }

  /** A defect in the sink must not end the watch; it starts over with a list. */
  function asKubeError(cause: unknown): KubeError {
    if (cause instanceof KubeError) return cause;
    log.error({ path, ...bugFields(cause) }, 'watch failed, a bug; listing again');
    const body = cause instanceof Error ? cause.message : 'unknown';
    return new KubeError({ call: `GET ${path}`, status: 0, reason: 'Defect', body, cause });
  }

  return { synced: synced.promise, reach, stopped: run() };
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
