import type { RateLimiterSnapshot } from './contract.ts';
import {
  CredentialLimiter,
  type CredentialLimiterOptions,
  type Entry,
  isWaiting,
} from './credential-limiter.ts';

const DROP_AFTER_MS = 60 * 60_000;
/** Each change of a Secret may bring another key that does not work: these do not pile up. */
const DROP_UNTRIED_AFTER_MS = 60_000;
const SWEEP_EVERY_MS = 60_000;

/**
 * Who asks, and the credentials they ask with. Dropped are those that nobody has used for an hour,
 * a minute where they have never worked, or for as long as the rate counts calls and pauses last,
 * whichever is longer.
 */
export class Registry {
  readonly entries = new Map<string, Entry>();
  readonly #limiters = new Map<string, CredentialLimiter>();
  readonly #options: Omit<CredentialLimiterOptions, 'onTimer'>;
  readonly #onTimer: (limiter: CredentialLimiter) => void;
  #sweptAt = 0;
  #rank = 0;

  constructor(
    options: Omit<CredentialLimiterOptions, 'onTimer'>,
    onTimer: (limiter: CredentialLimiter) => void,
  ) {
    this.#options = options;
    this.#onTimer = onTimer;
  }

  /** The limiter of a credential, which counts as used now. */
  use(credential: string, now: number): CredentialLimiter {
    this.#sweep(now);
    const limiter = this.#limiters.get(credential) ?? this.#open(credential);
    limiter.lastUsed = now;
    return limiter;
  }

  #open(credential: string): CredentialLimiter {
    const { rate, inFlight, clock } = this.#options;
    const limiter: CredentialLimiter = new CredentialLimiter(credential, {
      rate,
      inFlight,
      clock,
      onTimer: () => this.#onTimer(limiter),
    });
    this.#limiters.set(credential, limiter);
    return limiter;
  }

  /**
   * Somebody asks with it no more. One with which no call was ever made has nothing to remember:
   * keys can be made up faster than a minute drops them.
   */
  left(limiter: CredentialLimiter): void {
    if (limiter.isProven || limiter.hasCalled) return;
    for (const entry of this.entries.values()) if (entry.limiter === limiter) return;
    limiter.disarm();
    this.#limiters.delete(limiter.id);
  }

  known(credential: string): CredentialLimiter | undefined {
    return this.#limiters.get(credential);
  }

  limiters(): IterableIterator<CredentialLimiter> {
    return this.#limiters.values();
  }

  /**
   * Places by age, each number given once; those that go on with something come before all others.
   */
  nextRank(goesOn: boolean): number {
    this.#rank += 1;
    return goesOn ? this.#rank - Number.MAX_SAFE_INTEGER : this.#rank;
  }

  /** The keys that use one credential. */
  entriesOf(limiter: CredentialLimiter): readonly Entry[] {
    return [...this.entries.values()].filter((entry) => entry.limiter === limiter);
  }

  snapshot(now: number): RateLimiterSnapshot {
    const limiters = [...this.#limiters.values()];
    const entries = [...this.entries.values()];
    return {
      credentials: limiters.length,
      paused: limiters.filter((limiter) => limiter.pausedUntil(now) !== undefined).length,
      circuitOpen: limiters.filter(({ breaker }) => breaker.isOpen).length,
      waiting: entries.filter(isWaiting).length,
      inFlight: entries.filter(({ state }) => state === 'calling').length,
    };
  }

  disarm(): void {
    for (const limiter of this.#limiters.values()) limiter.disarm();
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = now;
    // Its calls count for as long as the window is wide.
    const provenAfterMs = Math.max(DROP_AFTER_MS, this.#options.rate.perMs);
    const untriedAfterMs = Math.max(DROP_UNTRIED_AFTER_MS, this.#options.rate.perMs);
    const inUse = new Set([...this.entries.values()].map(({ limiter }) => limiter));
    for (const [id, limiter] of this.#limiters) {
      const dropAfterMs = limiter.isProven ? provenAfterMs : untriedAfterMs;
      if (inUse.has(limiter) || now - limiter.lastUsed < dropAfterMs) continue;
      if (limiter.pausedUntil(now) !== undefined) continue;
      limiter.disarm();
      this.#limiters.delete(id);
    }
  }
}
