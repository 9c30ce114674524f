import { type Clock, pause } from '../../clock.ts';
import type { Log } from '../../log.ts';
import { quietLog } from '../cache/quiet-log.ts';
import { startWatch } from '../cache/watch.ts';
import type { KubeClient } from '../client/client.ts';
import { isConflict, isNotFound, KubeError } from '../client/kube-error.ts';
import { collectionPath, type KubeObject } from '../resource.ts';
import type { LeaseCalls } from './lease-calls.ts';
import { claimed, LEASE, type Lease } from './lease-record.ts';
import { LeaseView } from './lease-view.ts';

/**
 * A Lease that is ours: as the server has it, and when the request that made or renewed it began
 * (monotonic).
 */
export interface Held {
  readonly lease: Lease;
  readonly since: number;
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
  readonly complain: (error: KubeError) => void;
  /** A write is about to leave whose effect will not be known unless an answer comes. */
  readonly writing: () => void;
}

/**
 * Waits for the Lease to be free and takes it; undefined when stopped before. The watch tells of a
 * release at once, and a holder that renews keeps it talking; only when nothing was heard for 1.5
 * retry periods is the Lease read.
 */
export async function stand(options: StandbyOptions): Promise<Held | undefined> {
  const { calls, clock, attemptMs, retryMs, stop, complain } = options;
  const view = new LeaseView(options);
  const listening = new Listening(options, view);
  const silenceMs = retryMs * 1.5;
  let look = true;
  try {
    while (!stop.aborted) {
      if (look && !(await read())) continue;
      look = true;
      if (view.freeInMs() === 0) {
        const held = await take(options, view);
        if (held) return held;
        continue;
      }
      await listening.wait(Math.min(view.freeInMs(), Math.max(0, silenceMs - view.silentMs())));
      look = view.silentMs() >= silenceMs;
    }
    return undefined;
  } finally {
    listening.end();
  }

  async function read(): Promise<boolean> {
    try {
      view.see(await calls.read(attemptMs, stop));
      return true;
    } catch (error) {
      if (!(error instanceof KubeError)) throw error;
      complain(error);
      await pause(clock, retryMs, stop);
      return false;
    }
  }
}

/**
 * The resourceVersion makes it safe: where anything was written since we looked, the server
 * refuses.
 */
async function take(options: StandbyOptions, view: LeaseView): Promise<Held | undefined> {
  const { calls, clock, attemptMs, renewMs, retryMs, stop, complain } = options;
  const since = clock.monotonic();
  try {
    options.writing();
    const lease = await calls.write(
      claimed(view.lease, { ...options, now: clock.now() }),
      attemptMs,
      stop,
    );
    // A process that was frozen meanwhile: it is ours, but for how long nobody knows. Renew it
    // before use.
    if (clock.monotonic() - since < renewMs) return { lease, since };
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    const beaten = isConflict(error) || isNotFound(error);
    if (!beaten) complain(error);
    await pause(clock, beaten ? retryMs / 10 : retryMs, stop);
  }
  return undefined;
}

/** The watch of the one Lease, started when first waited on, and the waking of who waits. */
class Listening {
  readonly #options: StandbyOptions;
  readonly #view: LeaseView;
  readonly #end = new AbortController();
  #started = false;
  #wake = new AbortController();
  #holder = '';

  constructor(options: StandbyOptions, view: LeaseView) {
    this.#options = options;
    this.#view = view;
  }

  /** Returns after `ms`, or as soon as the Lease was heard of. */
  async wait(ms: number): Promise<void> {
    this.#start();
    this.#tell();
    this.#wake = new AbortController();
    await pause(this.#options.clock, ms, this.#options.stop, this.#wake.signal);
  }

  end(): void {
    this.#end.abort();
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const { client, clock, log, namespace, name, complain } = this.#options;
    startWatch<KubeObject>({
      client,
      path: collectionPath(LEASE, namespace),
      fieldSelector: `metadata.name=${name}`,
      clock,
      log: quietLog(log),
      signal: this.#end.signal,
      sink: {
        replace: (leases) => this.#hear(leases.find((lease) => lease.metadata.name === name)),
        apply: (event, lease) => {
          if (lease.metadata.name === name) this.#hear(event === 'DELETED' ? undefined : lease);
        },
        failed: complain,
      },
    });
  }

  #hear(lease: KubeObject | undefined): void {
    this.#view.see(lease as Lease | undefined);
    this.#wake.abort();
  }

  #tell(): void {
    const { holder } = this.#view;
    if (holder === this.#holder) return;
    this.#holder = holder;
    this.#options.log.info({ holder }, 'standing by');
  }
}
