import { waitFor } from '../../backoff.ts';
import { BREAKER_TURN, FAILURES } from '../../waits.ts';

/**
 * Stands before a credential that was answered with 401: one key at a time may probe, the others
 * are remembered.
 */
export class CircuitBreaker {
  readonly #seed: string;
  /** Their own time had come, but another was probing: they are next. */
  readonly #due = new Set<string>();
  /** They have no time of their own, and probe when nobody else does. */
  readonly #idle = new Set<string>();
  /** They were refused themselves and come at their own time, or when the breaker opens. */
  readonly #refused = new Set<string>();
  #failures = 0;
  #turnAt = 0;
  #prober: string | undefined;

  constructor(credential: string) {
    this.#seed = credential;
  }

  get closed(): boolean {
    return this.#failures > 0;
  }

  /**
   * Whether this key may call: always through an open breaker, else as the one prober, where it may
   * probe or somebody's turn has come.
   */
  admits(key: string, { probe, now }: { readonly probe: boolean; readonly now: number }): boolean {
    if (!this.closed || this.#prober === key) return true;
    const isTurn = this.#due.size === 0 && this.#turnAt <= now;
    if (this.#prober !== undefined || !(probe || isTurn)) return false;
    this.#appoint(key);
    return true;
  }

  isProber(key: string): boolean {
    return this.#prober === key;
  }

  /**
   * Remembers a key to be woken when the breaker opens or its turn comes. `due`: its own time has
   * come.
   */
  remember(key: string, due: boolean): void {
    if (!due && this.#due.has(key)) return;
    // One that was refused before may be another object by now, under the same name and without a
    // time.
    this.#drop(key);
    (due ? this.#due : this.#idle).add(key);
  }

  /**
   * A call was answered with 401. One that began before the breaker closed adds nothing to the count
   * of failed probes.
   */
  fail(key: string, now: number): void {
    if (!this.closed || this.#prober === key) {
      this.#failures++;
      this.#prober = undefined;
      this.#putOff(now);
    }
    this.#drop(key);
    this.#refused.add(key);
  }

  /** A probe was answered otherwise: nobody waits any more. Returns who did, in order. */
  open(): readonly string[] {
    const waiting = [...this.#due, ...this.#refused, ...this.#idle];
    for (const list of [this.#due, this.#refused, this.#idle]) list.clear();
    this.#failures = 0;
    this.#prober = undefined;
    return waiting;
  }

  /** A probe ended without an answer: its object tries again by itself. */
  endProbe(key: string, now: number): void {
    if (this.#prober !== key) return;
    this.#prober = undefined;
    this.#putOff(now);
  }

  /** When one that waits has its turn to probe; undefined while there is nothing to do. */
  turnAt(): number | undefined {
    if (!this.closed || this.#prober !== undefined) return undefined;
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
   * The key may have worked for another process since, or somebody has written it anew: the next in
   * turn need not wait.
   */
  startOver(): void {
    this.#turnAt = 0;
  }

  /**
   * Its turn to probe came before its own time: that falls to the next, and it goes on at its time,
   * or when the breaker opens.
   */
  passOver(key: string): void {
    if (this.#prober !== key) return;
    this.#prober = undefined;
    this.#refused.add(key);
  }

  /** The key asks no more; a probe that it was to make falls to the next. */
  forget(key: string): void {
    this.#drop(key);
    if (this.#prober === key) this.#prober = undefined;
  }

  #appoint(key: string): void {
    this.#drop(key);
    this.#prober = key;
  }

  #drop(key: string): void {
    for (const list of [this.#due, this.#refused, this.#idle]) list.delete(key);
  }

  #putOff(now: number): void {
    this.#turnAt = now + BREAKER_TURN * waitFor(FAILURES.Unauthorized, this.#failures, this.#seed);
  }
}
