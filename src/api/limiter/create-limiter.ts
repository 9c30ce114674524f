import type { CredentialPace } from './credential-limiter.ts';
import type {
  CallEnd,
  CallWish,
  Pacer,
  PacerOptions,
  PacerSnapshot,
  Permit,
  ReserveAnswer,
  StartAnswer,
} from './limiter.ts';
import { Roster } from './registry.ts';
import { type Entry, Slots } from './slots.ts';

type Pace = CredentialPace<Entry>;

export function createPacer(options: PacerOptions): Pacer {
  return new CallPacer(options);
}

/** Answers who may call, and learns from how calls end. */
class CallPacer implements Pacer {
  readonly #options: PacerOptions;
  readonly #roster: Roster;
  readonly #slots: Slots;
  #closed = false;

  constructor(options: PacerOptions) {
    this.#options = options;
    this.#roster = new Roster(options, (pace) => this.#onTimer(pace));
    this.#slots = new Slots((key, lane) => {
      if (!this.#closed) options.wake(key, lane);
    });
  }

  tryStart(wish: CallWish): StartAnswer {
    const entry = this.#ask(wish);
    if (entry.place === 'reserved') return { start: this.#permit(entry) };
    return entry.place === 'gated' ? { gated: true } : { wait: true };
  }

  reserve(wish: CallWish): ReserveAnswer {
    const { place } = this.#ask(wish);
    if (place === 'reserved') return { reserved: true };
    return place === 'gated' ? { gated: true } : { wait: true };
  }

  hasSlot(key: string): boolean {
    const entry = this.#roster.entries.get(key);
    return entry?.place === 'reserved' && !entry.pace.gate.closed;
  }

  settle(key: string): void {
    const entry = this.#roster.entries.get(key);
    if (!entry || entry.place === 'begun') return;
    const { asked, place } = entry;
    entry.asked = false;
    if (place === 'permit') this.forget(key);
    if (asked || place === 'permit' || place === 'gated') return;
    if (entry.pace.gate.isProber(key)) this.#passOver(entry);
    else this.forget(key);
  }

  #passOver(entry: Entry): void {
    const now = this.#options.clock.monotonic();
    const { pace } = entry;
    this.#slots.withdraw(entry, now);
    entry.place = 'gated';
    pace.gate.passOver(entry.key);
    this.#slots.pump(pace, now);
  }

  forget(key: string): void {
    const entry = this.#roster.entries.get(key);
    if (!entry || entry.place === 'begun') return;
    const now = this.#options.clock.monotonic();
    this.#roster.entries.delete(key);
    entry.pace.gate.forget(key);
    this.#slots.withdraw(entry, now);
    this.#slots.pump(entry.pace, now);
  }

  startOver(): void {
    for (const entry of this.#roster.entries.values()) {
      if (entry.place !== 'line' && entry.place !== 'parked' && entry.place !== 'reserved')
        continue;
      this.forget(entry.key);
      this.#slots.wake(entry);
    }
    const now = this.#options.clock.monotonic();
    for (const pace of this.#roster.paces()) {
      pace.gate.startOver();
      this.#slots.pump(pace, now);
    }
  }

  renew(credential: string): void {
    const pace = this.#roster.known(credential);
    if (!pace) return;
    pace.gate.startOver();
    this.#slots.pump(pace, this.#options.clock.monotonic());
  }

  snapshot(): PacerSnapshot {
    return this.#roster.snapshot(this.#options.clock.monotonic());
  }

  close(): void {
    this.#closed = true;
    this.#roster.disarm();
  }

  #ask(wish: CallWish): Entry {
    const now = this.#options.clock.monotonic();
    const entry = this.#entryFor(wish, now);
    const { pace } = entry;
    entry.asked = true;
    const probe = wish.probe === true;
    if (!pace.gate.admits(entry.key, { probe, now })) {
      this.#sendToGate(entry, now, probe);
      this.#slots.pump(pace, now);
      return entry;
    }
    if (entry.place === 'new' || entry.place === 'gated') this.#slots.queue(entry);
    if (entry.place !== 'reserved') this.#slots.pump(pace, now, entry);
    return entry;
  }

  #entryFor(wish: CallWish, now: number): Entry {
    const { key, target, credential, lane } = wish;
    const pace = this.#roster.paceOf(credential, now);
    const known = this.#roster.entries.get(key);
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
      rank: this.#roster.nextRank(wish.goesOn === true),
      since: now,
      place: 'new',
      asked: true,
    };
    this.#roster.entries.set(key, entry);
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
    if (!pace.gate.admits(key, { probe: false, now })) {
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
    this.#roster.entries.delete(key);
    this.#slots.withdraw(entry, now);
    if (end?.answered) pace.learn(end, begunAt, now);
    if (pace.pausedUntil(now) !== undefined) this.#slots.recall(this.#roster.of(pace), now);
    if (end?.answered && end.httpStatus === 401) this.#closeGate(entry, now);
    else if (end?.answered && pace.gate.isProber(key)) this.#openGate(pace);
    else pace.gate.endProbe(key, now);
    this.#slots.pump(pace, now);
    const pausedUntil = pace.pausedUntil(now);
    return pausedUntil === undefined ? {} : { pausedUntil };
  }

  /**
   * As the gate closes, everyone who waits is woken once, to learn and show why nothing happens; a
   * reserved key has its wake-up already.
   */
  #closeGate(failed: Entry, now: number): void {
    const { pace } = failed;
    const waiting = pace.gate.closed ? [] : this.#roster.of(pace);
    pace.gate.fail(failed.key, now);
    this.#roster.entries.set(failed.key, { ...failed, place: 'gated' });
    const toWake = waiting.filter(({ place }) => place === 'line' || place === 'parked');
    for (const entry of waiting)
      if (entry.place !== 'permit' && entry.place !== 'begun') this.#sendToGate(entry, now);
    for (const entry of toWake) this.#slots.wake(entry);
  }

  #openGate(pace: Pace): void {
    for (const key of pace.gate.open()) {
      const entry = this.#roster.entries.get(key);
      if (entry?.place === 'gated') this.#slots.queue(entry);
    }
  }

  /** The caller pumps its pace. */
  #sendToGate(entry: Entry, now: number, due = false): void {
    this.#slots.withdraw(entry, now);
    entry.place = 'gated';
    entry.pace.gate.remember(entry.key, due);
  }

  #onTimer(pace: Pace): void {
    const now = this.#options.clock.monotonic();
    const prober = this.#roster.entries.get(pace.gate.nextProber(now) ?? '');
    if (prober) this.#slots.queue(prober);
    this.#slots.pump(pace, now);
  }
}
