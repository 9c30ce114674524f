import { waitFor } from '../../backoff.ts';
import type { Clock } from '../../clock.ts';
import { type Waiting, WaitingQueue } from '../../waiting-queue.ts';
import { FAILURES } from '../../waits.ts';
import { Alarm } from './alarm.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import type { CallEnd } from './contract.ts';
import { RateWindow } from './rate-window.ts';

/** Where a key stands; the README draws who moves it. The last three hold a slot. */
export type State =
  | 'new'
  | 'queued'
  | 'target-busy'
  | 'circuit-open'
  | 'reserved'
  | 'permitted'
  | 'calling';

/** One key that asks for a call. */
export interface Entry extends Waiting {
  readonly key: string;
  readonly target: string;
  readonly tenant: string;
  readonly limiter: CredentialLimiter;
  /** Monotonic milliseconds of its first question. */
  readonly since: number;
  state: State;
  /** Gives back its part of what all credentials share; while it holds a slot. */
  giveBack?: (now: number, made: boolean) => void;
  /** Has asked since the last `release`. */
  asked: boolean;
}

/** For its target or a slot, or for its reconcile to use the slot that it has. */
export function isWaiting({ state }: Entry): boolean {
  return state === 'queued' || state === 'target-busy' || state === 'reserved';
}

export interface CredentialLimiterOptions {
  readonly rate: { readonly calls: number; readonly perMs: number };
  readonly inFlight: number;
  readonly clock: Clock;
  /** The one timer of this credential has run out. */
  readonly onTimer: () => void;
}

/** Everything that bounds the calls made with one credential. */
export class CredentialLimiter {
  readonly queue = new WaitingQueue<Entry>();
  readonly breaker: CircuitBreaker;
  lastUsed = 0;
  /**
   * This key has worked once. Only a 200 proves it: all else may come from whatever stands before
   * the API and asks for no key, and be brought about by who has none.
   */
  isProven = false;
  /** A call was made with it, so that there is something to remember. */
  hasCalled = false;
  readonly id: string;
  readonly #options: CredentialLimiterOptions;
  readonly #window: RateWindow;
  #active = 0;
  #pausedUntil = 0;
  #pausedAt: number | undefined;
  #refusals = 0;
  readonly #alarm: Alarm;

  constructor(id: string, options: CredentialLimiterOptions) {
    this.id = id;
    this.#options = options;
    this.#alarm = new Alarm(options.clock, options.onTimer);
    this.#window = new RateWindow(options.rate);
    this.breaker = new CircuitBreaker(id);
  }

  /** When the last pause began; undefined: there was none. */
  get pausedAt(): number | undefined {
    return this.#pausedAt;
  }

  #isAfterPause(begunAt: number): boolean {
    return begunAt > (this.#pausedAt ?? Number.NEGATIVE_INFINITY);
  }

  pausedUntil(now: number): number | undefined {
    return now < this.#pausedUntil ? this.#pausedUntil : undefined;
  }

  /** How many calls could start now. */
  capacity(now: number): number {
    if (now < this.#pausedUntil) return 0;
    return Math.min(this.#options.inFlight - this.#active, this.#window.free(now));
  }

  takeSlot(): void {
    this.#active++;
    this.#window.take();
  }

  /** `made`: a call was made with the slot. */
  releaseSlot(now: number, made: boolean): void {
    this.#active--;
    this.hasCalled ||= made;
    this.#window.release(now, made);
  }

  /**
   * What an answer says about the key, and about the load: 429 pauses, 503 may; any other proves
   * that calls go through.
   */
  learn(end: CallEnd, begunAt: number, now: number): void {
    if (end.httpStatus === 200) this.isProven = true;
    const headerMs = end.retryAfterMs ?? 0;
    if (end.httpStatus === 429) this.#refused(now, begunAt, headerMs);
    else this.#accepted(begunAt);
    if (end.httpStatus === 503 && headerMs > 0) this.#pause(now, headerMs);
  }

  /**
   * A 429: at least the own back-off, which grows while calls begun after the last pause are
   * refused too.
   */
  #refused(now: number, begunAt: number, headerMs: number): void {
    if (this.#isAfterPause(begunAt)) this.#refusals++;
    const own = waitFor(FAILURES.RateLimited, Math.max(this.#refusals, 1), this.id);
    this.#pause(now, Math.max(headerMs, own));
  }

  #pause(now: number, waitMs: number): void {
    this.#pausedAt = now;
    this.#pausedUntil = Math.max(this.#pausedUntil, now + waitMs);
  }

  /**
   * An answer other than 429. One to a call from before the pause proves nothing about the load
   * now.
   */
  #accepted(begunAt: number): void {
    if (this.#isAfterPause(begunAt)) this.#refusals = 0;
  }

  /** Sets the timer to the next moment at which something can change here by time alone. */
  arm(now: number): void {
    this.#alarm.set(this.#nextDue(now), now);
  }

  disarm(): void {
    this.#alarm.clear();
  }

  #nextDue(now: number): number | undefined {
    const times = [this.queue.size > 0 ? this.#nextSlot(now) : undefined, this.breaker.turnAt()];
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 ? undefined : Math.min(...known);
  }

  /** When a slot comes free by time alone; undefined where the end of a call has to free it. */
  #nextSlot(now: number): number | undefined {
    const paused = this.pausedUntil(now);
    if (paused !== undefined) return paused;
    return this.#window.free(now) <= 0 ? this.#window.nextFree() : undefined;
  }
}
