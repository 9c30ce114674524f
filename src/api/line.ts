import PQueue from 'p-queue';
import { waitFor } from '../backoff.ts';
import type { Cancel, Clock } from '../clock.ts';
import { FAILURES } from '../waits.ts';

/** At most `calls` in any stretch of `perMs`; 0 calls: no bound. */
export interface Rate {
  readonly calls: number;
  readonly perMs: number;
}

/** Who stands in a line. */
export interface Place {
  /** The highest is next, among equals who came first. */
  readonly priority: number;
  /** It waits no more. In line it is passed over, and takes nothing. */
  isOver: boolean;
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
  usedAt = 0;
  /** Of the last pause. This and all other times are monotonic ms. */
  pausedAt = Number.NEGATIVE_INFINITY;
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
  }

  /** Nobody waits, and nothing is in flight. */
  get isIdle(): boolean {
    return this.#queue.size + this.#queue.pending === 0;
  }

  /** Undefined: it is not paused. */
  get pausedUntil(): number | undefined {
    return this.#pausedUntil > this.#clock.monotonic() ? this.#pausedUntil : undefined;
  }

  /** Runs `call` in its turn, maybe at once. It says whether a call was made. */
  add(place: Place, call: () => Promise<boolean>): Promise<boolean> {
    const run = async (): Promise<boolean> => {
      if (place.isOver) return false;
      this.#taken += 1;
      this.#openOrShut();
      const isMade = await call();
      this.#taken -= 1;
      // Not from its start: the server counts when the request arrives, somewhere between the two.
      const freeAt = this.#clock.monotonic() + this.#rate.perMs;
      if (isMade && this.#rate.calls > 0) this.#freeing.push(freeAt);
      this.#openOrShut();
      return isMade;
    };
    // A signal would take who gives up out of the queue, but cost 1.5 KB for each who waits.
    return this.#queue.add(run, { priority: place.priority });
  }

  /** An answer to a call may pause the line. `seed` fixes the jitter. */
  learn({ httpStatus, retryAfterMs = 0 }: CallEnd, begunAt: number, seed: string): void {
    // Else the call began before the last pause, and says nothing of the load since.
    const isNews = begunAt > this.pausedAt;
    if (isNews) this.#refusals = httpStatus === 429 ? this.#refusals + 1 : 0;
    const own = waitFor(FAILURES.RateLimited, this.#refusals, seed);
    if (httpStatus === 429) this.#pause(Math.max(retryAfterMs, own));
    if (httpStatus === 503 && retryAfterMs > 0) this.#pause(retryAfterMs);
  }

  /** Stops the timer. */
  close(): void {
    this.#cancel?.();
  }

  /** A pause that lasts longer stays. */
  #pause(forMs: number): void {
    this.pausedAt = this.#clock.monotonic();
    this.#pausedUntil = Math.max(this.#pausedUntil, this.pausedAt + forMs);
    this.#openOrShut();
  }

  #openOrShut(): void {
    this.#cancel?.();
    const now = this.#clock.monotonic();
    const opensAt = Math.max(this.#pausedUntil, this.#slotFreeAt(now));
    if (opensAt <= now) {
      this.#queue.start();
      return;
    }
    this.#queue.pause();
    if (opensAt < Number.POSITIVE_INFINITY)
      this.#cancel = this.#clock.at(opensAt - now, () => this.#openOrShut());
  }

  /** Infinity: a call has to end first. */
  #slotFreeAt(now: number): number {
    const used = this.#freeing.findIndex((time) => time > now);
    this.#freeing.splice(0, used === -1 ? this.#freeing.length : used);
    const { calls } = this.#rate;
    if (calls === 0 || this.#taken + this.#freeing.length < calls) return now;
    return this.#freeing[0] ?? Number.POSITIVE_INFINITY;
  }
}
