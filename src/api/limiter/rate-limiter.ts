import type {
  CallEnd,
  CallWish,
  Permit,
  RateLimiter,
  RateLimiterOptions,
  RateLimiterSnapshot,
  ReserveAnswer,
  StartAnswer,
} from './contract.ts';
import type { CredentialLimiter, Entry } from './credential-limiter.ts';
import { Registry } from './registry.ts';
import { SharedPace } from './shared-pace.ts';
import { Slots } from './slots.ts';

export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  return new Limiter(options);
}

/** Answers who may call, and learns from how calls end. */
class Limiter implements RateLimiter {
  readonly #options: RateLimiterOptions;
  readonly #registry: Registry;
  readonly #shared: SharedPace;
  readonly #slots: Slots;
  #closed = false;

  constructor(options: RateLimiterOptions) {
    this.#options = options;
    this.#registry = new Registry(options, (limiter) => this.#onTimer(limiter));
    this.#shared = new SharedPace(options, () =>
      this.#slots.fillShared(this.#options.clock.monotonic()),
    );
    this.#slots = new Slots(this.#shared, (entry) => this.#wake(entry, true));
  }

  tryStart(wish: CallWish): StartAnswer {
    const entry = this.#ask(wish);
    if (entry.state === 'reserved') return { start: this.#permit(entry) };
    return entry.state === 'circuit-open' ? { circuitOpen: true } : { wait: true };
  }

  reserve(wish: CallWish): ReserveAnswer {
    const { state } = this.#ask(wish);
    if (state === 'reserved') return { reserved: true };
    return state === 'circuit-open' ? { circuitOpen: true } : { wait: true };
  }

  hasSlot(key: string): boolean {
    const entry = this.#registry.entries.get(key);
    return entry?.state === 'reserved' && !entry.limiter.breaker.isOpen;
  }

  ahead(key: string): number {
    const entry = this.#registry.entries.get(key);
    return entry?.state === 'queued' ? entry.limiter.queue.ahead(entry) : 0;
  }

  pausedAt(credential: string): number | undefined {
    return this.#registry.known(credential)?.pausedAt;
  }

  release(key: string): void {
    const entry = this.#registry.entries.get(key);
    if (!entry || entry.state === 'calling') return;
    const { asked, state } = entry;
    entry.asked = false;
    if (state === 'permitted') return this.forget(key);
    if (asked || state === 'circuit-open') return;
    if (entry.limiter.breaker.isProber(key)) this.#passOver(entry);
    else this.forget(key);
  }

  #passOver(entry: Entry): void {
    const now = this.#options.clock.monotonic();
    const { limiter } = entry;
    this.#slots.withdraw(entry, now);
    entry.state = 'circuit-open';
    limiter.breaker.passOver(entry.key);
    this.#slots.fill(limiter, now);
  }

  forget(key: string): void {
    const entry = this.#registry.entries.get(key);
    if (!entry || entry.state === 'calling') return;
    const now = this.#options.clock.monotonic();
    this.#registry.entries.delete(key);
    entry.limiter.breaker.forget(key);
    this.#slots.withdraw(entry, now);
    this.#slots.fill(entry.limiter, now);
    this.#registry.left(entry.limiter);
  }

  renew(credential: string): void {
    const limiter = this.#registry.known(credential);
    if (!limiter) return;
    limiter.breaker.startOver();
    this.#slots.fill(limiter, this.#options.clock.monotonic());
  }

  snapshot(): RateLimiterSnapshot {
    return this.#registry.snapshot(this.#options.clock.monotonic());
  }

  close(): void {
    this.#closed = true;
    this.#registry.disarm();
    this.#shared.disarm();
  }

  #wake({ key, lane }: Entry, holdsSlot = false): void {
    if (!this.#closed) this.#options.wake(key, lane, holdsSlot);
  }

  #ask(wish: CallWish): Entry {
    const now = this.#options.clock.monotonic();
    const entry = this.#entryFor(wish, now);
    const { limiter } = entry;
    entry.asked = true;
    const probe = wish.probe === true;
    if (!limiter.breaker.admits(entry.key, { probe, now })) {
      this.#holdBack(entry, now, probe);
      this.#slots.fill(limiter, now);
      return entry;
    }
    if (entry.state === 'new' || entry.state === 'circuit-open') this.#slots.enqueue(entry);
    if (entry.state !== 'reserved') this.#slots.fill(limiter, now, entry);
    return entry;
  }

  #entryFor(wish: CallWish, now: number): Entry {
    const { key, target, tenant, credential, lane } = wish;
    const limiter = this.#registry.use(credential, now);
    if (wish.isProven) limiter.isProven = true;
    const known = this.#registry.entries.get(key);
    if (known?.state === 'permitted' || known?.state === 'calling') {
      throw new Error(`${key} asks for a second call before its first one has finished`);
    }
    if (known && known.limiter === limiter && known.target === target) {
      if (lane === 'user') this.#slots.upgrade(known);
      return known;
    }
    this.forget(key);
    const entry: Entry = {
      key,
      target,
      tenant,
      // One line for all tenants of a credential: who goes on comes before all who begin.
      group: '',
      lane,
      limiter,
      rank: this.#registry.nextRank(wish.goesOn === true),
      since: now,
      state: 'new',
      asked: true,
    };
    this.#registry.entries.set(key, entry);
    return entry;
  }

  #permit(entry: Entry): Permit {
    entry.state = 'permitted';
    let begunAt = 0;
    const begin = (): boolean => {
      if (entry.state !== 'permitted') return false;
      const now = this.#options.clock.monotonic();
      if (!this.#mayBegin(entry, now)) return false;
      entry.state = 'calling';
      begunAt = now;
      this.#options.onWait?.((now - entry.since) / 1000);
      return true;
    };
    const finish = (end?: CallEnd): { pausedUntil?: number } => {
      if (entry.state === 'calling') return this.#finish(entry, begunAt, end);
      if (entry.state === 'permitted') this.forget(entry.key);
      return {};
    };
    return { begin, finish };
  }

  /**
   * False when the credential was paused or refused since the permit was given: the key waits again
   * in its old place.
   */
  #mayBegin(entry: Entry, now: number): boolean {
    const { limiter, key } = entry;
    if (!limiter.breaker.admits(key, { probe: false, now })) {
      this.#holdBack(entry, now);
      this.#wake(entry);
      this.#slots.fill(limiter, now);
      return false;
    }
    if (limiter.pausedUntil(now) === undefined) return true;
    this.#slots.withdraw(entry, now);
    this.#slots.enqueue(entry);
    this.#slots.fill(limiter, now);
    return false;
  }

  #finish(entry: Entry, begunAt: number, end: CallEnd | undefined): { pausedUntil?: number } {
    const now = this.#options.clock.monotonic();
    const { limiter, key } = entry;
    this.#registry.entries.delete(key);
    limiter.lastUsed = now;
    this.#slots.withdraw(entry, now);
    if (end?.answered) limiter.learn(end, begunAt, now);
    if (limiter.pausedUntil(now) !== undefined)
      this.#slots.recall(this.#registry.entriesOf(limiter), now);
    if (end?.answered && end.httpStatus === 401) this.#openBreaker(entry, now);
    else if (end && tellsOfKey(end) && limiter.breaker.isProber(key)) this.#closeBreaker(limiter);
    else limiter.breaker.endProbe(key, now);
    this.#slots.fill(limiter, now);
    const pausedUntil = limiter.pausedUntil(now);
    return pausedUntil === undefined ? {} : { pausedUntil };
  }

  /**
   * A call was answered with 401. As the breaker opens, everyone who waits is woken once, to learn
   * and show why nothing happens; a key with a reserved slot has been woken already.
   */
  #openBreaker(refused: Entry, now: number): void {
    const { limiter } = refused;
    const waiting = limiter.breaker.isOpen ? [] : this.#registry.entriesOf(limiter);
    limiter.breaker.refuse(refused.key, now);
    this.#registry.entries.set(refused.key, { ...refused, state: 'circuit-open' });
    const toWake = waiting.filter(({ state }) => state === 'queued' || state === 'target-busy');
    for (const entry of waiting)
      if (entry.state !== 'permitted' && entry.state !== 'calling') this.#holdBack(entry, now);
    for (const entry of toWake) this.#wake(entry);
  }

  #closeBreaker(limiter: CredentialLimiter): void {
    for (const key of limiter.breaker.close()) {
      const entry = this.#registry.entries.get(key);
      if (entry?.state === 'circuit-open') this.#slots.enqueue(entry);
    }
  }

  /** `due`: the key's own time to try has come. The caller fills the slots of its credential. */
  #holdBack(entry: Entry, now: number, due = false): void {
    this.#slots.withdraw(entry, now);
    entry.state = 'circuit-open';
    entry.limiter.breaker.holdBack(entry.key, due);
  }

  #onTimer(limiter: CredentialLimiter): void {
    const now = this.#options.clock.monotonic();
    const prober = this.#registry.entries.get(limiter.breaker.nextProber(now) ?? '');
    if (prober) this.#slots.enqueue(prober);
    this.#slots.fill(limiter, now);
  }
}

/**
 * Whether the answer to a trial call says that the key was taken. One that only tells of the load,
 * of a fault or of another address does not: it may come from what stands before the API.
 */
function tellsOfKey({ answered, httpStatus = 0 }: CallEnd): boolean {
  const isOfRequest =
    httpStatus >= 400 && httpStatus < 500 && ![401, 408, 429].includes(httpStatus);
  return answered && (isOfRequest || (httpStatus >= 200 && httpStatus < 300));
}
