import type { Cancel, Clock } from '../clock.ts';
import type { Lane } from '../waiting-queue.ts';
import { DelayHeap } from './delay-heap.ts';
import { Lanes, namespaceIn, type Wanted, wantedMore } from './lanes.ts';
import { Shares } from './shares.ts';

export type { Lane } from '../waiting-queue.ts';

/** Told what happens, for metrics; all durations in milliseconds. */
export interface QueueObserver {
  added?(): void;
  taken?(waitedMs: number): void;
  finished?(workedMs: number): void;
  retried?(): void;
}

interface Running {
  readonly since: number;
  /** How the key was added again while its reconcile ran. */
  again?: Wanted;
}

/**
 * A queue of keys. Guarantees: a key waits once however often it is added; no key is out twice at a
 * time, and one added while out comes back after `done`; of several delays for a key the earliest
 * holds; taking a key drops its delay, because the reconcile decides the next one anew; no
 * namespace takes more than its share of the takers, see Shares.
 */
export class Queue {
  readonly #clock: Clock;
  readonly #observer: QueueObserver;
  readonly #lanes = new Lanes();
  readonly #shares = new Shares();
  readonly #delays = new DelayHeap();
  readonly #addedAt = new Map<string, number>();
  readonly #running = new Map<string, Running>();
  readonly #failures = new Map<string, number>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #timer: { readonly due: number; readonly cancel: Cancel } | undefined;

  constructor(options: { readonly clock: Clock; readonly observer?: QueueObserver }) {
    this.#clock = options.clock;
    this.#observer = options.observer ?? {};
  }

  /**
   * Wants a reconcile of the key now. One that waits in the scheduled lane moves up when added for
   * a user; one that holds a slot goes ahead of those of its namespace that hold none.
   */
  add(key: string, lane: Lane, holdsSlot = false): void {
    this.#observer.added?.();
    const running = this.#running.get(key);
    if (running) {
      running.again = wantedMore(running.again, { lane, holdsSlot });
      return;
    }
    if (!this.#addedAt.has(key)) this.#addedAt.set(key, this.#clock.monotonic());
    this.#lanes.push(key, lane, holdsSlot);
    this.#serve();
  }

  /**
   * Wants a reconcile of the key in `delayMs`, in the scheduled lane. The earlier of two delays
   * holds. Throws on NaN, which would lose the key.
   */
  addAfter(key: string, delayMs: number): void {
    if (Number.isNaN(delayMs)) throw new RangeError(`the delay for "${key}" is no number`);
    this.#delays.set(key, this.#clock.monotonic() + Math.max(0, delayMs));
    this.#arm();
  }

  /**
   * The next key, when there is one. `undefined` once `signal` is aborted. Every key taken must be
   * given to `done`.
   */
  take(signal: AbortSignal): Promise<string | undefined> {
    if (signal.aborted) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const leave = (): void => {
        this.#takers.splice(this.#takers.indexOf(receive), 1);
        resolve(undefined);
      };
      const receive = (key: string | undefined): void => {
        signal.removeEventListener('abort', leave);
        resolve(key);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#takers.push(receive);
      this.#serve();
    });
  }

  /** The key's reconcile has ended; it may be taken again. */
  done(key: string): void {
    const running = this.#running.get(key);
    if (!running) return;
    this.#running.delete(key);
    this.#shares.giveBack(namespaceIn(key));
    this.#observer.finished?.(this.#clock.monotonic() - running.since);
    if (running.again) this.add(key, running.again.lane, running.again.holdsSlot);
  }

  /** Counts one more unexpected failure in a row and says how many it has been. */
  countFailure(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#observer.retried?.();
    return failures;
  }

  /** A reconcile went well: the next failure is the first again. */
  forgetFailures(key: string): void {
    this.#failures.delete(key);
  }

  /** Drops a key's delay and failures: its object is gone. */
  forget(key: string): void {
    this.#failures.delete(key);
    this.#delays.delete(key);
  }

  /** Keys that wait for a worker now; delayed ones not counted. */
  get depth(): number {
    return this.#lanes.size;
  }

  /** Monotonic start times of the reconciles that run now. */
  runningSince(): number[] {
    return [...this.#running.values()].map((running) => running.since);
  }

  #serve(): void {
    while (this.#takers.length > 0) {
      const key = this.#lanes.shift((one) => this.#shares.mayTake(one, this.#takers.length));
      if (key === undefined) return;
      const now = this.#clock.monotonic();
      this.#observer.taken?.(now - (this.#addedAt.get(key) ?? now));
      this.#addedAt.delete(key);
      this.#delays.delete(key);
      this.#running.set(key, { since: now });
      this.#shares.take(namespaceIn(key));
      this.#takers.shift()?.(key);
    }
  }

  #arm(): void {
    const due = this.#delays.earliest();
    if (due === undefined || (this.#timer && this.#timer.due <= due)) return;
    this.#timer?.cancel();
    const cancel = this.#clock.at(due - this.#clock.monotonic(), () => {
      this.#timer = undefined;
      for (const key of this.#delays.takeDue(this.#clock.monotonic())) this.add(key, 'scheduled');
      this.#arm();
    });
    this.#timer = { due, cancel };
  }
}
