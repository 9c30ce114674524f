import type { Cancel, Clock } from '../clock.ts';

/**
 * `user`: somebody changed something and may be watching. `scheduled`: retries, re-asserts, the
 * first list.
 */
export type Priority = 'user' | 'scheduled';

/** The queue's key for an object: the kind's name before the store's key. */
export function queueKey(kind: string, key: string): string {
  return `${kind}/${key}`;
}

/** Hears what happens; all durations in milliseconds. Must not throw. */
export interface QueueObserver {
  /** A key waits that did not: it can be taken. */
  ready?(): void;
  added?(): void;
  taken?(waitedMs: number): void;
  finished?(workedMs: number): void;
  retried?(): void;
}

/**
 * A queue of keys, those of users first, in each priority the oldest first. Guarantees: a key waits
 * once however often it is added; no key is out twice at a time, and one added while out comes back
 * after `done`; of several delays for a key the earliest holds; taking a key drops its delay,
 * because the reconcile decides the next one anew.
 */
export class Queue {
  readonly #clock: Clock;
  readonly #observer: QueueObserver;
  /** Each key with the time at which it was added. */
  readonly #waiting = { user: new Map<string, number>(), scheduled: new Map<string, number>() };
  readonly #delays = new Map<string, { readonly due: number; readonly cancel: Cancel }>();
  /** Keys that are out, each with the time at which it was taken. */
  readonly #out = new Map<string, number>();
  /** Keys that were added while out. */
  readonly #again = new Map<string, Priority>();
  readonly #failures = new Map<string, number>();

  constructor(clock: Clock, observer: QueueObserver = {}) {
    this.#clock = clock;
    this.#observer = observer;
  }

  /** Wants a reconcile now. One that waits as scheduled moves up when a user wants it. */
  add(key: string, priority: Priority): void {
    this.#observer.added?.();
    if (this.#out.has(key)) {
      if (this.#again.get(key) !== 'user') this.#again.set(key, priority);
      return;
    }
    const { user, scheduled } = this.#waiting;
    if (user.has(key) || (priority === 'scheduled' && scheduled.has(key))) return;
    const addedAt = scheduled.get(key) ?? this.#clock.monotonic();
    scheduled.delete(key);
    this.#waiting[priority].set(key, addedAt);
    this.#observer.ready?.();
  }

  /**
   * Wants a reconcile of the key in `delayMs`, as scheduled. The earlier of two delays holds.
   * Throws on NaN, which would lose the key.
   */
  addAfter(key: string, delayMs: number): void {
    if (Number.isNaN(delayMs)) throw new RangeError(`the delay for "${key}" is no number`);
    const due = this.#clock.monotonic() + delayMs;
    const before = this.#delays.get(key);
    if (before && before.due <= due) return;
    before?.cancel();
    const cancel = this.#clock.at(delayMs, () => {
      this.#delays.delete(key);
      this.add(key, 'scheduled');
    });
    this.#delays.set(key, { due, cancel });
  }

  /** The next key; undefined: none waits. Every key taken must be given to `done`. */
  take(): string | undefined {
    const { user, scheduled } = this.#waiting;
    const waiting = user.size > 0 ? user : scheduled;
    for (const [key, addedAt] of waiting) {
      waiting.delete(key);
      const now = this.#clock.monotonic();
      this.#observer.taken?.(now - addedAt);
      this.#delays.get(key)?.cancel();
      this.#delays.delete(key);
      this.#out.set(key, now);
      return key;
    }
    return undefined;
  }

  /** The key's reconcile has ended; it may be taken again. */
  done(key: string): void {
    const takenAt = this.#out.get(key);
    if (takenAt === undefined) return;
    this.#out.delete(key);
    this.#observer.finished?.(this.#clock.monotonic() - takenAt);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again) this.add(key, again);
  }

  /** Counts one more failure in a row and says how many it has been. */
  countFailure(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#observer.retried?.();
    return failures;
  }

  /** A reconcile went well, or its object is gone: the next failure is the first again. */
  forgetFailures(key: string): void {
    this.#failures.delete(key);
  }

  /** Keys that wait now; delayed ones not counted. */
  get depth(): number {
    return this.#waiting.user.size + this.#waiting.scheduled.size;
  }
}
