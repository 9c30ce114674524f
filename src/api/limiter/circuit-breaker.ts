import { waitFor } from '../../backoff.ts';
import { BREAKER_TURN, FAILURES } from '../../waits.ts';

/**
 * Of one credential. Open after a 401: calls are held back, but one key at a time, the prober, may
 * make a trial call. Closed again when that is answered otherwise.
 */
export class CircuitBreaker {
  readonly #seed: string;
  /** Their own time had come, but another key was probing: they are next. */
  readonly #due = new Set<string>();
  /** They have no time of their own, and probe when nobody else does. */
  readonly #idle = new Set<string>();
  /** They were refused themselves: they ask again at their own time, or when the breaker closes. */
  readonly #refused = new Set<string>();
  /** Trial calls refused in a row, the first 401 included. */
  #failures = 0;
  /** When one of the idle may probe. */
  #turnAt = 0;
  #prober: string | undefined;

  constructor(credential: string) {
    this.#seed = credential;
  }

  get isOpen(): boolean {
    return this.#failures > 0;
  }

  /**
   * Whether this key may call: always while the breaker is closed, else as the prober. It becomes
   * that, where there is none, by its own due time (`probe`) or when the turn of the idle has come.
   */
  admits(key: string, { probe, now }: { readonly probe: boolean; readonly now: number }): boolean {
    if (!this.isOpen || this.#prober === key) return true;
    const isTurn = this.#due.size === 0 && this.#turnAt <= now;
    if (this.#prober !== undefined || !(probe || isTurn)) return false;
    this.#appoint(key);
    return true;
  }

  isProber(key: string): boolean {
    return this.#prober === key;
  }

  /**
   * Holds a key back: it gets its turn to probe, or goes on when the breaker closes. `due`: its own
   * time has come.
   */
  holdBack(key: string, due: boolean): void {
    if (!due && this.#due.has(key)) return;
    // Under the name of one that was refused there may be a new object by now, which has no time of
    // its own: it is sorted in anew.
    this.#drop(key);
    (due ? this.#due : this.#idle).add(key);
  }

  /**
   * A call of this key was answered with 401. One that began before the breaker opened is no trial
   * call, and not counted.
   */
  refuse(key: string, now: number): void {
    if (!this.isOpen || this.#prober === key) {
      this.#failures++;
      this.#prober = undefined;
      this.#putOff(now);
    }
    this.#drop(key);
    this.#refused.add(key);
  }

  /**
   * The trial call was answered otherwise: nobody is held back any more. Returns who was, in order.
   */
  close(): readonly string[] {
    const held = [...this.#due, ...this.#refused, ...this.#idle];
    for (const keys of [this.#due, this.#refused, this.#idle]) keys.clear();
    this.#failures = 0;
    this.#prober = undefined;
    return held;
  }

  /**
   * The trial call ended without an answer that tells of the key: its object tries again by itself.
   */
  endProbe(key: string, now: number): void {
    if (this.#prober !== key) return;
    this.#prober = undefined;
    this.#putOff(now);
  }

  /** When one of those held back has its turn to probe; undefined while there is nothing to do. */
  turnAt(): number | undefined {
    if (!this.isOpen || this.#prober !== undefined) return undefined;
    if (this.#due.size > 0) return 0;
    return this.#idle.size > 0 ? this.#turnAt : undefined;
  }

  /** Makes the one whose turn it is the prober. */
  nextProber(now: number): string | undefined {
    const turnAt = this.turnAt();
    if (turnAt === undefined || turnAt > now) return undefined;
    const [key] = this.#due.size > 0 ? this.#due : this.#idle;
    if (key !== undefined) this.#appoint(key);
    return key;
  }

  /**
   * The key may have worked for another process since, or somebody has written the Secret anew: the
   * next in turn need not wait.
   */
  startOver(): void {
    this.#turnAt = 0;
  }

  /**
   * The prober had its turn before its own time came, and does not want to call: the next one
   * probes, and it goes on at its own time, or when the breaker closes.
   */
  passOver(key: string): void {
    if (this.#prober !== key) return;
    this.#prober = undefined;
    this.#refused.add(key);
  }

  /** The key asks no more; if it was the prober, the next one is. */
  forget(key: string): void {
    this.#drop(key);
    if (this.#prober === key) this.#prober = undefined;
  }

  #appoint(key: string): void {
    this.#drop(key);
    this.#prober = key;
  }

  #drop(key: string): void {
    for (const keys of [this.#due, this.#refused, this.#idle]) keys.delete(key);
  }

  #putOff(now: number): void {
    this.#turnAt = now + BREAKER_TURN * waitFor(FAILURES.Unauthorized, this.#failures, this.#seed);
  }
}
