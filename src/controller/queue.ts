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

/**
 * A queue of keys, those of users first, in each priority the oldest first. Guarantees: a key waits
 * once however often it is added; no key is out twice at a time, and one added while out comes back
 * after `done`; of several delays for a key the earliest holds; taking a key drops its delay,
 * because the reconcile decides the next one anew.
 */
export class Queue {
  readonly #clock: Clock;
  readonly #ready: () => void;
  readonly #waiting = { user: new Set<string>(), scheduled: new Set<string>() };
  readonly #delays = new Map<string, { readonly due: number; readonly cancel: Cancel }>();
  /** Keys that were taken and are not done. */
  readonly #out = new Set<string>();
  /** Keys that were added while out. */
  readonly #again = new Map<string, Priority>();
  readonly #failures = new Map<string, number>();

  /** `ready`: a key waits that did not. Must not throw. */
  constructor(clock: Clock, ready: () => void = () => undefined) {
    this.#clock = clock;
    this.#ready = ready;
  }

  /** Wants a reconcile now. One that waits as scheduled moves up when a user wants it. */
  add(key: string, priority: Priority): void {
    if (this.#out.has(key)) {
      if (this.#again.get(key) !== 'user') this.#again.set(key, priority);
      return;
    }
    const { user, scheduled } = this.#waiting;
    if (user.has(key) || (priority === 'scheduled' && scheduled.has(key))) return;
    scheduled.delete(key);
    this.#waiting[priority].add(key);
    this.#ready();
  }

  /** As scheduled, in `delayMs`; of two the earlier holds. Throws on NaN: the key would be lost. */
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
    for (const key of waiting) {
      waiting.delete(key);
      this.#delays.get(key)?.cancel();
      this.#delays.delete(key);
      this.#out.add(key);
      return key;
    }
    return undefined;
  }

  /** The key's reconcile has ended; it may be taken again. */
  done(key: string): void {
    if (!this.#out.delete(key)) return;
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again) this.add(key, again);
  }

  /** Counts one more failure in a row and says how many it has been. */
  countFailure(key: string): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
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
