import { type Clock, pause } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { quietLog } from '../cache/quiet-log.ts';
import { startWatch } from '../cache/watch.ts';
import type { KubeClient } from '../client/client.ts';
import { isConflict, isNotFound, KubeError } from '../client/kube-error.ts';
import { collectionPath, type KubeObject } from '../resource.ts';
import { type LeaseCalls, tolerate } from './lease-calls.ts';
import { claimed, isReleased, LEASE, type Lease } from './lease-record.ts';
import { LeaseView } from './lease-view.ts';
import type { Held } from './renewal.ts';

/** A Lease that was free, and is ours. */
export interface Taken extends Held {
  /**
   * Who has read up to this version knows all that a former holder wrote before it gave the Lease
   * back, or before it was taken from it. What it writes later, of a call that was under way,
   * nobody can wait for.
   */
  readonly formerVersion: string;
}

export interface StandbyOptions {
  readonly client: KubeClient;
  readonly calls: LeaseCalls;
  readonly clock: Clock;
  readonly log: Log;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly leaseMs: number;
  readonly renewMs: number;
  readonly retryMs: number;
  readonly attemptMs: number;
  readonly stop: AbortSignal;
  /** Told of every failure; says it once per cause. */
  readonly onFailure: (error: KubeError) => void;
  /** A write is about to leave whose effect will not be known unless an answer comes. */
  readonly onWrite: () => void;
}

/**
 * Waits for the Lease to be free and takes it; undefined when stopped before. The watch tells of a
 * release at once, and a holder that renews keeps it talking; only when nothing was heard for 1.5
 * retry periods is the Lease read.
 */
export async function acquire(options: StandbyOptions): Promise<Taken | undefined> {
  const { clock, retryMs, stop, onFailure } = options;
  const view = new LeaseView(options);
  const watch = new LeaseWatch(options, view);
  const silenceMs = retryMs * 1.5;
  let mustRead = true;
  try {
    while (!stop.aborted) {
      if (mustRead && !(await read(options, view).catch(tolerate(onFailure)))) {
        await pause(clock, retryMs, stop);
        continue;
      }
      mustRead = true;
      if (view.freeInMs() > 0) {
        await watch.wait(Math.min(view.freeInMs(), Math.max(0, silenceMs - view.silentMs())));
        mustRead = view.silentMs() >= silenceMs;
        continue;
      }
      const taken = await take(options, view);
      if (taken) return taken;
    }
    return undefined;
  } finally {
    watch.end();
  }
}

async function read(options: StandbyOptions, view: LeaseView): Promise<true> {
  view.observe(await options.calls.read(options.attemptMs, options.stop));
  return true;
}

/**
 * The resourceVersion makes it safe: where anything was written since we looked, the server
 * refuses.
 */
async function take(options: StandbyOptions, view: LeaseView): Promise<Taken | undefined> {
  const { calls, clock, attemptMs, renewMs, retryMs, stop, onFailure } = options;
  const since = clock.monotonic();
  const former = view.lease;
  const draft = claimed(former, { ...options, now: clock.now() });
  try {
    options.onWrite();
    const lease = await calls.write(draft, attemptMs, stop);
    // After so long, as in a process that was frozen meanwhile, others may have taken it since:
    // it is read, and renewed before use.
    if (clock.monotonic() - since < renewMs) {
      // Also where there was none: somebody may have deleted it.
      const last = former && isReleased(former) ? former : lease;
      return { lease, since, formerVersion: last.metadata.resourceVersion };
    }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    // Not found where it was to be made: its namespace is not there.
    const isDeleted = isNotFound(error) && draft.metadata.resourceVersion !== undefined;
    const anotherWasFirst = isConflict(error) || isDeleted;
    if (!anotherWasFirst) onFailure(error);
    await pause(clock, anotherWasFirst ? retryMs / 10 : retryMs, stop);
  }
  return undefined;
}

/** The watch of the one Lease, started when first waited on. It ends the wait when it has news. */
class LeaseWatch {
  readonly #options: StandbyOptions;
  readonly #view: LeaseView;
  readonly #end = new AbortController();
  #isStarted = false;
  #news = new AbortController();
  #loggedHolder = '';

  constructor(options: StandbyOptions, view: LeaseView) {
    this.#options = options;
    this.#view = view;
  }

  /** Returns after `ms`, or as soon as the Lease was heard of. */
  async wait(ms: number): Promise<void> {
    this.#start();
    this.#logHolder();
    this.#news = new AbortController();
    await pause(this.#options.clock, ms, this.#options.stop, this.#news.signal);
  }

  end(): void {
    this.#end.abort();
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { client, clock, log, namespace, name, onFailure } = this.#options;
    startWatch<KubeObject>({
      client,
      path: collectionPath(LEASE, namespace),
      fieldSelector: `metadata.name=${name}`,
      clock,
      log: quietLog(log),
      signal: this.#end.signal,
      sink: {
        replace: (leases) => this.#observe(leases.find((lease) => lease.metadata.name === name)),
        apply: (event, lease) => {
          if (lease.metadata.name === name) this.#observe(event === 'DELETED' ? undefined : lease);
        },
        failed: onFailure,
      },
    });
  }

  #observe(lease: KubeObject | undefined): void {
    this.#view.observe(lease as Lease | undefined);
    this.#news.abort();
  }

  /** Once per holder. */
  #logHolder(): void {
    const { holder } = this.#view;
    if (holder === this.#loggedHolder) return;
    this.#loggedHolder = holder;
    this.#options.log.info({ holder }, 'standing by');
  }
}
