import PQueue from 'p-queue';
import { waitFor } from '../backoff.ts';
import type { Cancel, Clock } from '../clock.ts';
import { FAILURES } from '../waits.ts';

/** At most `calls` in any stretch of `perMs`; 0 calls: no bound. */
export interface Rate {
  readonly calls: number;
  readonly perMs: number;
}

/** What a call says of the load; a `Reply` fits. */
export interface CallEnd {
  readonly answered: boolean;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Runs calls in order: so many at once, so many in any window, none in a pause. The window is not
 * p-queue's, which goes by timers of its own: the queue is opened and shut by the clock.
 */
export class Line {
  /** Of the last pause. This and all other times are monotonic ms. */
  pausedAt = Number.NEGATIVE_INFINITY;
  #usedAt: number;
  #pausedUntil = 0;
  /** Answers of 429 in a row. */
  #refusals = 0;
  readonly #queue: PQueue;
  readonly #clock: Clock;
  readonly #rate: Rate;
  #taken = 0;
  /** When used slots of the rate come free, ascending. */
  readonly #freeing: number[] = [];
  #cancel: Cancel | undefined;

  constructor(clock: Clock, rate: Rate, inFlight = Number.POSITIVE_INFINITY) {
    this.#queue = new PQueue({ concurrency: inFlight });
    this.#clock = clock;
    this.#rate = rate;
    this.#usedAt = clock.monotonic();
  }

  /** For how long nobody has waited, and nothing was in flight. */
  get idleMs(): number {
    const isUsed = this.#queue.size + this.#queue.pending > 0;
    return isUsed ? 0 : this.#clock.monotonic() - this.#usedAt;
  }

  /** Undefined: it is not paused. */
  get pausedUntil(): number | undefined {
    return this.#pausedUntil > this.#clock.monotonic() ? this.#pausedUntil : undefined;
  }

  /**
   * Runs `call` in its turn, maybe at once; the highest priority is next, among equals who came
   * first. It says whether a call was made. Who is over is passed over, and takes nothing.
   */
  add(place: { priority: number; isOver: boolean }, call: () => Promise<boolean>) {
    const run = async (): Promise<boolean> => {
      if (place.isOver) return false;
      this.#taken += 1;
      this.#openOrShut();
      const isMade = await call();
      this.#taken -= 1;
      this.#usedAt = this.#clock.monotonic();
      // Not from its start: the server counts when the request arrives, somewhere between the two.
      if (isMade && this.#rate.calls > 0) this.#freeing.push(this.#usedAt + this.#rate.perMs);
      this.#openOrShut();
      return isMade;
    };
    // A signal would take who gives up out of the queue, but cost 1.5 KB for each who waits.
    return this.#queue.add(run, { priority: place.priority });
  }

  /** An answer to a call may pause the line. `seed` fixes the jitter. */
  learn({ httpStatus, retryAfterMs = 0 }: CallEnd, begunAt: number, seed: string): void {
    const isRefused = httpStatus === 429;
    // Else the call began before the last pause, and says nothing of the load since.
    if (begunAt > this.pausedAt) this.#refusals = isRefused ? this.#refusals + 1 : 0;
    const own = isRefused ? waitFor(FAILURES.RateLimited, this.#refusals, seed) : 0;
    const pauseMs = isRefused || httpStatus === 503 ? Math.max(retryAfterMs, own) : 0;
    if (pauseMs === 0) return;
    this.pausedAt = this.#clock.monotonic();
    // One that lasts longer stays.
    this.#pausedUntil = Math.max(this.#pausedUntil, this.pausedAt + pauseMs);
    this.#openOrShut();
  }

  #openOrShut(): void {
    this.#cancel?.();
    const now = this.#clock.monotonic();
    const opensAt = Math.max(this.#pausedUntil, this.#slotFreeAt(now));
    if (opensAt <= now) this.#queue.start();
    else this.#queue.pause();
    if (opensAt > now && opensAt < Number.POSITIVE_INFINITY)
      this.#cancel = this.#clock.at(opensAt - now, () => this.#openOrShut());
  }

  /** Infinity: a call has to end first. */
  #slotFreeAt(now: number): number {
    while ((this.#freeing[0] ?? Number.POSITIVE_INFINITY) <= now) this.#freeing.shift();
    const { calls } = this.#rate;
    if (calls === 0 || this.#taken + this.#freeing.length < calls) return now;
    return this.#freeing[0] ?? Number.POSITIVE_INFINITY;
  }
}
