import { spread } from '../../backoff.ts';
import { type Clock, waitAtMost } from '../../clock.ts';
import { LONG_WAIT_MS } from '../../waits.ts';
import type { CallWish, Permit, RateLimiter, RateLimiterOptions } from './contract.ts';
import { createRateLimiter } from './rate-limiter.ts';

/** A thousand that came together would all say at the same moment that they wait. */
const LONG_WAIT_SPREAD_MS = 5_000;

/** With what a call is to be made. */
export type Wish = Pick<CallWish, 'credential' | 'tenant' | 'lane' | 'goesOn' | 'probe'>;

/** One that asks for a permit and waits for it. `No` says why it does not want one any more. */
export interface Asking<Own extends Wish, No> {
  readonly key: string;
  /** Asked again after each wait: its credential may be another one by now. */
  readonly wish: () => Promise<Own | No>;
  readonly signal: AbortSignal;
  /** Runs each wait. */
  readonly parked: <Value>(wait: () => Promise<Value>) => Promise<Value>;
  /** Told once that the wait is long, with how many calls go before. False: it ends. */
  readonly onLongWait: (ahead: number) => Promise<boolean>;
}

export type Asked<Own> =
  | { readonly type: 'granted'; readonly permit: Permit; readonly wish: Own }
  /** Calls with this credential are held back since one was answered with 401. */
  | { readonly type: 'key-refused' }
  | { readonly type: 'not-wanted' };

const NOT_WANTED = { type: 'not-wanted' } as const;

/** The limiter, with permits that can be waited for. */
export class Permits {
  readonly limiter: RateLimiter;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, () => void>();

  constructor(options: RateLimiterOptions) {
    this.#clock = options.clock;
    this.limiter = createRateLimiter({
      ...options,
      wake: (key, ...how) => {
        if (!this.wake(key)) options.wake(key, ...how);
      },
    });
  }

  /** Lets this key ask anew where it waits. False: it waits for nothing. */
  wake(key: string): boolean {
    const goOn = this.#waiting.get(key);
    goOn?.();
    return goOn !== undefined;
  }

  /** Waits for its turn, holding nothing; the end of the signal ends that. */
  async permit<Own extends Wish, No extends { readonly type: string }>(
    asking: Asking<Own, No>,
  ): Promise<Asked<Own> | No> {
    const { key, signal, parked } = asking;
    const longAt = this.#clock.monotonic() + LONG_WAIT_MS + spread(key, LONG_WAIT_SPREAD_MS);
    let hasSaid = false;
    try {
      for (;;) {
        if (signal.aborted) return NOT_WANTED;
        const wish = await asking.wish();
        if ('type' in wish) return wish;
        // Who asks here takes its target by itself, and its credential shares no pace of others.
        const answer = this.limiter.tryStart({ ...wish, key, target: key, isProven: true });
        if ('start' in answer) return { type: 'granted', permit: answer.start, wish };
        if ('circuitOpen' in answer) return { type: 'key-refused' };
        // Before anything else, or it might be woken meanwhile and not know it.
        const turn = this.#turn(key, signal);
        const patience = longAt - this.#clock.monotonic();
        if (!hasSaid) await parked(() => waitAtMost(this.#clock, patience, turn));
        if (!hasSaid && this.#waiting.has(key)) {
          hasSaid = true;
          if (!(await asking.onLongWait(this.limiter.ahead(key)))) return NOT_WANTED;
        }
        await parked(() => turn);
      }
    } finally {
      this.wake(key);
    }
  }

  /** Whether the credential was paused since this time, in epoch ms. */
  pausedSince(credential: string, time: number): boolean {
    const at = this.limiter.pausedAt(credential);
    return at !== undefined && this.#clock.now() - (this.#clock.monotonic() - at) >= time;
  }

  /** Comes when the key is woken, or the signal aborted. */
  #turn(key: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const goOn = (): void => {
      this.#waiting.delete(key);
      signal.removeEventListener('abort', goOn);
      resolve();
    };
    this.#waiting.set(key, goOn);
    signal.addEventListener('abort', goOn);
    if (signal.aborted) goOn();
    return promise;
  }
}
