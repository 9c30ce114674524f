import type { CredentialLimiter } from './credential-limiter.ts';
import type {
  CallEnd,
  CallWish,
  Permit,
  RateLimiter,
  RateLimiterOptions,
  RateLimiterSnapshot,
  ReserveAnswer,
  StartAnswer,
} from './limiter.ts';
import { Registry } from './registry.ts';
import { type Entry, Slots } from './slots.ts';

type Pace = CredentialLimiter<Entry>;

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  return new CallPacer(options);
}

/** Answers who may call, and learns from how calls end. */
class CallPacer implements RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #registry: Registry;
  readonly #slots: Slots;
  #closed = false;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#registry = new Registry(options, (pace) => this.#onTimer(pace));
    this.#slots = new Slots((key, lane) => {
      if (!this.#closed) options.wake(key, lane);
    });
  }

  tryStart(wish: CallWish): StartAnswer {
    const entry = this.#ask(wish);
    if (entry.place === 'reserved') return { start: this.#permit(entry) };
    return entry.place === 'circuit-open' ? { circuitOpen: true } : { wait: true };
  }

  reserve(wish: CallWish): ReserveAnswer {
    const { place } = this.#ask(wish);
    if (place === 'reserved') return { reserved: true };
    return place === 'circuit-open' ? { circuitOpen: true } : { wait: true };
  }

  hasSlot(key: string): boolean {
    const entry = this.#registry.entries.get(key);
    return entry?.place === 'reserved' && !entry.pace.breaker.closed;
  }

  release(key: string): void {
    const entry = this.#registry.entries.get(key);
    if (!entry || entry.place === 'begun') return;
    const { asked, place } = entry;
    entry.asked = false;
    if (place === 'permit') this.forget(key);
    if (asked || place === 'permit' || place === 'circuit-open') return;
    if (entry.pace.breaker.isProber(key)) this.#passOver(entry);
    else this.forget(key);
  }

  #passOver(entry: Entry): void {
    const now = this.#options.clock.monotonic();
    const { pace } = entry;
    this.#slots.withdraw(entry, now);
    entry.place = 'circuit-open';
    pace.breaker.passOver(entry.key);
    this.#slots.pump(pace, now);
  }

  forget(key: string): void {
    const entry = this.#registry.entries.get(key);
    if (!entry || entry.place === 'begun') return;
    const now = this.#options.clock.monotonic();
    this.#registry.entries.delete(key);
    entry.pace.breaker.forget(key);
    this.#slots.withdraw(entry, now);
    this.#slots.pump(entry.pace, now);
  }

  startOver(): void {
    for (const entry of this.#registry.entries.values()) {
      if (entry.place !== 'line' && entry.place !== 'parked' && entry.place !== 'reserved')
        continue;
      this.forget(entry.key);
      this.#slots.wake(entry);
    }
    const now = this.#options.clock.monotonic();
    for (const pace of this.#registry.paces()) {
      pace.breaker.startOver();
      this.#slots.pump(pace, now);
    }
  }

  renew(credential: string): void {
    const pace = this.#registry.known(credential);
    if (!pace) return;
    pace.breaker.startOver();
    this.#slots.pump(pace, this.#options.clock.monotonic());
  }

  snapshot(): RateLimiterSnapshot {
    return this.#registry.snapshot(this.#options.clock.monotonic());
  }

  close(): void {
    this.#closed = true;
    this.#registry.disarm();
  }

  #ask(wish: CallWish): Entry {
    const now = this.#options.clock.monotonic();
    const entry = this.#entryFor(wish, now);
    const { pace } = entry;
    entry.asked = true;
    const probe = wish.probe === true;
    if (!pace.breaker.admits(entry.key, { probe, now })) {
      this.#sendToGate(entry, now, probe);
      this.#slots.pump(pace, now);
      return entry;
    }
    if (entry.place === 'new' || entry.place === 'circuit-open') this.#slots.queue(entry);
    if (entry.place !== 'reserved') this.#slots.pump(pace, now, entry);
    return entry;
  }

  #entryFor(wish: CallWish, now: number): Entry {
    const { key, target, credential, lane } = wish;
    const pace = this.#registry.paceOf(credential, now);
    const known = this.#registry.entries.get(key);
    if (known?.place === 'permit' || known?.place === 'begun') {
      throw new Error(`${key} asks for a second call before its first one has finished`);
    }
    if (known && known.pace === pace && known.target === target) {
      if (lane === 'user') this.#slots.upgrade(known);
      return known;
    }
    this.forget(key);
    const entry: Entry = {
      key,
      target,
      lane,
      pace,
      rank: this.#registry.nextRank(wish.goesOn === true),
      since: now,
      place: 'new',
      asked: true,
    };
    this.#registry.entries.set(key, entry);
    return entry;
  }

  #permit(entry: Entry): Permit {
    entry.place = 'permit';
    let begunAt = 0;
    const begin = (): boolean => {
      if (entry.place !== 'permit') return false;
      const now = this.#options.clock.monotonic();
      if (!this.#mayBegin(entry, now)) return false;
      entry.place = 'begun';
      begunAt = now;
      this.#options.onWait?.((now - entry.since) / 1000);
      return true;
    };
    const finish = (end?: CallEnd): { pausedUntil?: number } => {
      if (entry.place === 'begun') return this.#finish(entry, begunAt, end);
      if (entry.place === 'permit') this.forget(entry.key);
      return {};
    };
    return { begin, finish };
  }

  /**
   * False when the credential was paused or gated since the grant: the key is back in its old place
   * then.
   */
  #mayBegin(entry: Entry, now: number): boolean {
    const { pace, key } = entry;
    if (!pace.breaker.admits(key, { probe: false, now })) {
      this.#sendToGate(entry, now);
      this.#slots.wake(entry);
      this.#slots.pump(pace, now);
      return false;
    }
    if (pace.pausedUntil(now) === undefined) return true;
    this.#slots.withdraw(entry, now);
    this.#slots.queue(entry);
    this.#slots.pump(pace, now);
    return false;
  }

  #finish(entry: Entry, begunAt: number, end: CallEnd | undefined): { pausedUntil?: number } {
    const now = this.#options.clock.monotonic();
    const { pace, key } = entry;
    this.#registry.entries.delete(key);
    this.#slots.withdraw(entry, now);
    if (end?.answered) pace.learn(end, begunAt, now);
    if (pace.pausedUntil(now) !== undefined) this.#slots.recall(this.#registry.of(pace), now);
    if (end?.answered && end.httpStatus === 401) this.#closeGate(entry, now);
    else if (end?.answered && pace.breaker.isProber(key)) this.#openGate(pace);
    else pace.breaker.endProbe(key, now);
    this.#slots.pump(pace, now);
    const pausedUntil = pace.pausedUntil(now);
    return pausedUntil === undefined ? {} : { pausedUntil };
  }

  /**
   * As the breaker closes, everyone who waits is woken once, to learn and show why nothing happens; a
   * reserved key has its wake-up already.
   */
  #closeGate(failed: Entry, now: number): void {
    const { pace } = failed;
    const waiting = pace.breaker.closed ? [] : this.#registry.of(pace);
    pace.breaker.fail(failed.key, now);
    this.#registry.entries.set(failed.key, { ...failed, place: 'circuit-open' });
    const toWake = waiting.filter(({ place }) => place === 'line' || place === 'parked');
    for (const entry of waiting)
      if (entry.place !== 'permit' && entry.place !== 'begun') this.#sendToGate(entry, now);
    for (const entry of toWake) this.#slots.wake(entry);
  }

  #openGate(pace: Pace): void {
    for (const key of pace.breaker.open()) {
      const entry = this.#registry.entries.get(key);
      if (entry?.place === 'circuit-open') this.#slots.queue(entry);
    }
  }

  /** The caller pumps its pace. */
  #sendToGate(entry: Entry, now: number, due = false): void {
    this.#slots.withdraw(entry, now);
    entry.place = 'circuit-open';
    entry.pace.breaker.remember(entry.key, due);
  }

  #onTimer(pace: Pace): void {
    const now = this.#options.clock.monotonic();
    const prober = this.#registry.entries.get(pace.breaker.nextProber(now) ?? '');
    if (prober) this.#slots.queue(prober);
    this.#slots.pump(pace, now);
  }
}
