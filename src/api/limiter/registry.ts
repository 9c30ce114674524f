import { CredentialLimiter, type CredentialLimiterOptions } from './credential-limiter.ts';
import type { RateLimiterSnapshot } from './limiter.ts';
import type { Entry } from './slots.ts';

const DROP_AFTER_MS = 60 * 60_000;
const SWEEP_EVERY_MS = 10 * 60_000;

type Pace = CredentialLimiter<Entry>;

/**
 * Who asks, and the credentials they ask with; credentials that nobody has used for an hour are
 * dropped.
 */
export class Registry {
  readonly entries = new Map<string, Entry>();
  readonly #paces = new Map<string, Pace>();
  readonly #options: Omit<CredentialLimiterOptions, 'onTimer'>;
  readonly #onTimer: (pace: Pace) => void;
  #sweptAt = 0;
  #rank = 0;

  constructor(options: Omit<CredentialLimiterOptions, 'onTimer'>, onTimer: (pace: Pace) => void) {
    this.#options = options;
    this.#onTimer = onTimer;
  }

  /** The pace of a credential, which counts as used now. */
  paceOf(credential: string, now: number): Pace {
    this.#sweep(now);
    const pace = this.#paces.get(credential) ?? this.#open(credential);
    pace.lastUsed = now;
    return pace;
  }

  #open(credential: string): Pace {
    const { rate, inFlight, clock } = this.#options;
    const pace: Pace = new CredentialLimiter(credential, {
      rate,
      inFlight,
      clock,
      onTimer: () => this.#onTimer(pace),
    });
    this.#paces.set(credential, pace);
    return pace;
  }

  known(credential: string): Pace | undefined {
    return this.#paces.get(credential);
  }

  paces(): IterableIterator<Pace> {
    return this.#paces.values();
  }

  /**
   * Places by age, each number given once; those that go on with something come before all others.
   */
  nextRank(goesOn: boolean): number {
    this.#rank += 1;
    return goesOn ? this.#rank - Number.MAX_SAFE_INTEGER : this.#rank;
  }

  /** The keys that use one credential. */
  of(pace: Pace): readonly Entry[] {
    return [...this.entries.values()].filter((entry) => entry.pace === pace);
  }

  snapshot(now: number): RateLimiterSnapshot {
    const paces = [...this.#paces.values()];
    const places = [...this.entries.values()].map(({ place }) => place);
    return {
      credentials: paces.length,
      paused: paces.filter((pace) => pace.pausedUntil(now) !== undefined).length,
      gated: paces.filter((pace) => pace.breaker.closed).length,
      waiting: places.filter(
        (place) => place === 'line' || place === 'parked' || place === 'reserved',
      ).length,
      inFlight: places.filter((place) => place === 'begun').length,
    };
  }

  disarm(): void {
    for (const pace of this.#paces.values()) pace.disarm();
  }

  #sweep(now: number): void {
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = now;
    const inUse = new Set([...this.entries.values()].map(({ pace }) => pace));
    for (const [id, pace] of this.#paces) {
      if (inUse.has(pace) || now - pace.lastUsed < DROP_AFTER_MS) continue;
      pace.disarm();
      this.#paces.delete(id);
    }
  }
}
