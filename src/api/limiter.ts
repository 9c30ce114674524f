import { type Clock, waitAtMost } from '../clock.ts';
import * as waits from '../waits.ts';
import { type CallEnd, Line, type Rate } from './line.ts';
import { RefusedKeys } from './refused-keys.ts';

/** An object that wants to make a call. */
export interface Asking {
  readonly id: string;
  /** With which key; undefined: it wants no call any more. Asked again after a wait. */
  readonly wish: () => Promise<Wish | undefined>;
  /** `later`: it goes on with what an attempt has begun. `user`: a person edited it, or asks. */
  readonly urgency: 'later' | 'user' | 'scheduled';
  /** Calls `end` as soon as it wants no call any more. */
  readonly onUnwanted: (end: () => void) => void;
  /** Runs a wait. */
  readonly parked: <Value>(wait: () => Promise<Value>) => Promise<Value>;
  /** Told that it is long, and how many are before it. False: it ends, its place is kept. */
  readonly onLongWait: (ahead: number) => Promise<boolean>;
}

interface Wish {
  /** `Credential.id`. */
  readonly credential: string;
  /** Also one that was refused, before the time at which it is tried again. */
  readonly mayTry: boolean;
}

/** Permission to make one call. `finish` must be called in any case. */
export interface Permit {
  /** Right before the first byte. False: the key was paused or refused meanwhile. */
  begin(): boolean;
  /** Returns until when nobody calls with the key, monotonic ms. No `call`: none was made. */
  finish(call?: CallEnd): number | undefined;
}

export interface LimiterOptions {
  /** Of each credential. */
  readonly rate: Rate;
  readonly inFlight: number;
  /** Of all together. */
  readonly rateTotal: Rate;
  readonly clock: Clock;
  /** An object that was told `key-refused` shall ask again: it may try the key, or that works. */
  readonly wake: (id: string) => void;
  /** How long a call has waited before it begins. */
  readonly onWait?: (seconds: number) => void;
}

/** Of a wait. */
type Outcome = Permit | 'key-refused' | 'not-wanted';

/** One that stands in line. */
interface Wait extends Pick<Asking, 'id' | 'onLongWait'> {
  readonly credential: string;
  readonly line: Line;
  /** When its object began to wait, monotonic ms. */
  readonly since: number;
  readonly priority: number;
  isOver: boolean;
  readonly outcome: Promise<Outcome>;
  readonly end: (outcome: Outcome) => void;
  /** What `onLongWait` gives, once it was called. */
  told?: Promise<boolean>;
}

/** Decides who may call the management API, and when. */
export class Limiter {
  readonly refusedKeys: RefusedKeys;
  readonly #options: LimiterOptions;
  readonly #total: Line;
  /** By credential. */
  readonly #lines = new Map<string, Line>();
  /** By object, as it waits for one permit at a time. */
  readonly #waiting = new Map<string, Wait>();
  #isTelling = false;
  /** Since when those have waited that keep their place when they ask again. */
  readonly #since = new Map<string, number>();

  constructor(options: LimiterOptions) {
    const { clock, rateTotal, wake } = options;
    this.refusedKeys = new RefusedKeys(clock, wake);
    this.#options = options;
    this.#total = new Line(clock, rateTotal);
  }

  /** Waits for its turn, holding nothing, until `wake` ends that or nobody wants it. */
  async permit(asking: Asking): Promise<Outcome> {
    const { id, wish, parked } = asking;
    const since = this.#since.get(id) ?? this.#options.clock.monotonic();
    this.#since.delete(id);
    const wished = await wish();
    if (!wished) return 'not-wanted';
    const { credential, mayTry } = wished;
    if (!this.refusedKeys.admits(credential, id, mayTry)) return 'key-refused';
    const wait = this.#enter(asking, credential, since);
    let isTaken = false;
    try {
      if (!wait.isOver) await parked(() => wait.outcome);
      await wait.told;
      const outcome = await wait.outcome;
      if (typeof outcome === 'string') return outcome;
      isTaken = (await wish())?.credential === credential;
      return isTaken ? outcome : 'not-wanted';
    } finally {
      if (!isTaken) await this.#leave(wait);
    }
  }

  /** Ends the wait of this object, which keeps its place when it asks again. */
  wake(id: string): void {
    const wait = this.#waiting.get(id);
    if (wait) this.#since.set(id, wait.since);
    wait?.end('not-wanted');
  }

  /** The object is gone. */
  forget(id: string): void {
    this.refusedKeys.forget(id);
    this.#since.delete(id);
  }

  /** Whether the credential was paused since this time, in epoch ms. */
  pausedSince(credential: string, time: number): boolean {
    const at = this.#lines.get(credential)?.pausedAt ?? Number.NEGATIVE_INFINITY;
    return this.#options.clock.now() - this.#options.clock.monotonic() + at >= time;
  }

  snapshot() {
    const paused = [...this.#lines.values()].filter(({ pausedUntil }) => pausedUntil !== undefined);
    return { paused: paused.length, refused: this.refusedKeys.size, waiting: this.#waiting.size };
  }

  #enter({ id, urgency, onUnwanted, onLongWait }: Asking, credential: string, since: number): Wait {
    const entered = since - (urgency === 'user' ? waits.EDITED_EARLIER_MS : 0);
    const priority = urgency === 'later' ? Number.MAX_SAFE_INTEGER : -entered;
    const line = this.#lineOf(credential);
    const { promise: outcome, resolve } = Promise.withResolvers<Outcome>();
    const end = (how: Outcome): void => {
      wait.isOver = true;
      this.#waiting.delete(id);
      resolve(how);
    };
    const entry = { id, credential, line, since, priority, outcome, end, onLongWait };
    const wait: Wait = { ...entry, isOver: false };
    this.#waiting.set(id, wait);
    onUnwanted(() => end('not-wanted'));
    void line.add(wait, () => this.#total.add(wait, () => this.#grant(wait)));
    if (!this.#isTelling) void this.#tellLongWaits();
    return wait;
  }

  /** Those that nobody has used for long are forgotten. */
  #lineOf(credential: string): Line {
    const { clock, rate, inFlight } = this.#options;
    // Calls count for as long as the window is wide.
    const forgetAfterMs = Math.max(waits.UNUSED_KEY_MS, rate.perMs);
    for (const [id, { idleMs }] of this.#lines) if (idleMs >= forgetAfterMs) this.#lines.delete(id);
    const line = this.#lines.get(credential) ?? new Line(clock, rate, inFlight);
    this.#lines.set(credential, line);
    return line;
  }

  /** One after another: thousands at once would take a connection each. */
  async #tellLongWaits(): Promise<void> {
    const { clock } = this.#options;
    this.#isTelling = true;
    // Who comes meanwhile is in it too.
    for (const wait of this.#waiting.values()) {
      const leftMs = wait.since + waits.LONG_WAIT_MS - clock.monotonic();
      await waitAtMost(clock, leftMs, wait.outcome);
      if (wait.isOver) continue;
      let ahead = -1;
      for (const { line, priority } of this.#waiting.values())
        if (line === wait.line && priority >= wait.priority) ahead += 1;
      wait.told = wait.onLongWait(ahead);
      // What it throws, `permit` throws.
      if (!(await wait.told.catch(() => false))) this.wake(wait.id);
    }
    this.#isTelling = false;
  }

  async #leave({ id, credential, end, outcome }: Wait): Promise<void> {
    end('not-wanted');
    const permit = await outcome;
    if (typeof permit === 'object') permit.finish();
    else this.refusedKeys.ended(credential, id, false);
  }

  /** Resolves when the permit is given back: whether a call was made. */
  #grant(wait: Wait): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const { id, credential, line, since } = wait;
    let begunAt: number | undefined;
    const begin = (): boolean => {
      const isPaused = line.pausedUntil !== undefined;
      if (isPaused) this.#since.set(id, since);
      if (isPaused || !this.refusedKeys.admits(credential, id, false)) return false;
      begunAt = this.#options.clock.monotonic();
      this.#options.onWait?.((begunAt - since) / 1000);
      return true;
    };
    const finish = (call: CallEnd = { answered: false }): number | undefined => {
      resolve(begunAt !== undefined);
      return this.#learn(wait, call, begunAt);
    };
    wait.end({ begin, finish });
    return promise;
  }

  #learn({ id, credential, line }: Wait, end: CallEnd, begunAt = 0): number | undefined {
    if (end.answered) line.learn(end, begunAt, credential);
    if (end.httpStatus !== 401) {
      this.refusedKeys.ended(credential, id, end.answered);
      return line.pausedUntil;
    }
    const tryAt = this.refusedKeys.refused(credential, id);
    for (const other of this.#waiting.values())
      if (other.line === line && !this.refusedKeys.admits(credential, other.id, false))
        other.end('key-refused');
    return tryAt;
  }
}
