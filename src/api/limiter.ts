import { spread } from '../backoff.ts';
import { type Clock, waitAtMost } from '../clock.ts';
import * as waits from '../waits.ts';
import { type CallEnd, Line, type Place, type Rate } from './line.ts';
import { RefusedKeys } from './refused-keys.ts';

/** An object that wants to make a call. */
export interface Asking {
  readonly id: string;
  /** With which key; undefined: it wants no call any more. Asked again after each wait. */
  readonly wish: () => Promise<Wish | undefined>;
  /** `later`: it goes on with what an attempt has begun. `user`: a person edited it, or asks. */
  readonly urgency: 'later' | 'user' | 'scheduled';
  readonly signal: AbortSignal;
  /** Runs each wait. */
  readonly parked: <Value>(wait: () => Promise<Value>) => Promise<Value>;
  /** Told once that the wait is long, and how many are before it. False: it ends. */
  readonly onLongWait: (ahead: number) => Promise<boolean>;
}

interface Wish {
  /** `Credential.id`. */
  readonly credential: string;
  /** Also one that was refused, before the time at which it is tried again. */
  readonly mayTry: boolean;
}

/** Leave to make one call. `finish` must be called in any case. */
export interface Permit {
  /** Right before the first byte. False: the key was paused or refused meanwhile. */
  begin(): boolean;
  /** Returns until when nobody calls with the key, monotonic ms. No `end`: no call was made. */
  finish(end?: CallEnd): number | undefined;
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

/** One that stands in line. */
interface Wait extends Place {
  readonly id: string;
  readonly credential: string;
  readonly line: Line;
  /** When its object began to wait, monotonic ms. */
  readonly since: number;
  /** Comes when it is over, by a permit or otherwise. */
  readonly turn: Promise<void>;
  readonly end: () => void;
  permit?: Permit;
}

/** Decides who may call the management API, and when. */
export class Limiter {
  readonly refusedKeys: RefusedKeys;
  readonly #options: LimiterOptions;
  readonly #clock: Clock;
  readonly #total: Line;
  /** By credential, those that were used last at the end. */
  readonly #lines = new Map<string, Line>();
  readonly #waiting = new Map<string, Wait>();
  /** Since when those have waited whose call was kept back by a pause at the last moment. */
  readonly #keptBack = new Map<string, number>();

  constructor(options: LimiterOptions) {
    const { clock, rateTotal, wake } = options;
    this.refusedKeys = new RefusedKeys(clock, wake);
    this.#options = options;
    this.#clock = clock;
    this.#total = new Line(clock, rateTotal);
  }

  /** Waits for its turn, holding nothing, until the signal ends that. */
  async permit(asking: Asking): Promise<Permit | 'key-refused' | 'not-wanted'> {
    const { id, signal } = asking;
    const since = this.#keptBack.get(id) ?? this.#clock.monotonic();
    this.#keptBack.delete(id);
    const patience = waits.LONG_WAIT_MS + spread(id, waits.LONG_WAIT_SPREAD_MS);
    let isSaid = false;
    let wish = await asking.wish();
    while (wish && !signal.aborted) {
      const { credential, mayTry } = wish;
      if (!this.refusedKeys.admits(credential, id, mayTry)) return 'key-refused';
      const wait = this.#enter(asking, credential, since);
      let permit: Permit | undefined;
      try {
        const leftMs = since + patience - this.#clock.monotonic();
        if (!wait.isOver && !isSaid)
          await asking.parked(() => waitAtMost(this.#clock, leftMs, wait.turn));
        if (!wait.isOver && !isSaid) {
          isSaid = true;
          if (!(await asking.onLongWait(this.#countBefore(wait)))) return 'not-wanted';
        }
        if (!wait.isOver) await asking.parked(() => wait.turn);
        wish = await asking.wish();
        if (wish?.credential === credential) permit = wait.permit;
        if (permit) return permit;
      } finally {
        signal.removeEventListener('abort', wait.end);
        if (!permit) this.#leave(wait);
      }
    }
    return 'not-wanted';
  }

  /** Lets this object ask anew where it waits. False: it waits for nothing. */
  wake(id: string): boolean {
    const wait = this.#waiting.get(id);
    wait?.end();
    return wait !== undefined;
  }

  /** The object is gone. */
  forget(id: string): void {
    this.refusedKeys.forget(id);
    this.#keptBack.delete(id);
  }

  /** Whether the credential was paused since this time, in epoch ms. */
  pausedSince(credential: string, time: number): boolean {
    const at = this.#lines.get(credential)?.pausedAt ?? Number.NEGATIVE_INFINITY;
    return this.#clock.now() - this.#clock.monotonic() + at >= time;
  }

  snapshot() {
    const lines = [...this.#lines.values()];
    return {
      credentials: lines.length,
      paused: lines.filter(({ pausedUntil }) => pausedUntil !== undefined).length,
      circuitOpen: this.refusedKeys.size,
      waiting: this.#waiting.size,
    };
  }

  /** Stops the timers. */
  close(): void {
    for (const one of [this.#total, this.refusedKeys, ...this.#lines.values()]) one.close();
  }

  #countBefore(wait: Wait): number {
    let count = 0;
    for (const { line, priority } of this.#waiting.values())
      if (line === wait.line && priority >= wait.priority) count += 1;
    return count - 1;
  }

  #enter({ id, urgency, signal }: Asking, credential: string, since: number): Wait {
    const entered = since - (urgency === 'user' ? waits.EDITED_EARLIER_MS : 0);
    const priority = urgency === 'later' ? Number.MAX_SAFE_INTEGER : -entered;
    const line = this.#use(credential);
    const { promise: turn, resolve } = Promise.withResolvers<void>();
    const end = (): void => {
      wait.isOver = true;
      this.#waiting.delete(id);
      resolve();
    };
    const wait: Wait = { id, credential, line, since, priority, turn, end, isOver: false };
    signal.addEventListener('abort', end);
    this.#waiting.set(id, wait);
    void line.add(wait, () => this.#total.add(wait, () => this.#grant(wait)));
    return wait;
  }

  #leave(wait: Wait): void {
    const { id, credential, permit } = wait;
    wait.end();
    if (permit) permit.finish();
    else this.refusedKeys.ended(credential, id, false);
  }

  /** Resolves when the permit is given back: whether a call was made. */
  #grant(wait: Wait): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const { id, credential, line, since } = wait;
    let begunAt: number | undefined;
    const begin = (): boolean => {
      const isPaused = line.pausedUntil !== undefined;
      if (isPaused) this.#keptBack.set(id, since);
      if (isPaused || !this.refusedKeys.admits(credential, id, false)) return false;
      begunAt = this.#clock.monotonic();
      this.#options.onWait?.((begunAt - since) / 1000);
      return true;
    };
    const finish = (end: CallEnd = { answered: false }): number | undefined => {
      const until = this.#learn(wait, end, begunAt);
      resolve(begunAt !== undefined);
      return until;
    };
    wait.permit = { begin, finish };
    wait.end();
    return promise;
  }

  #learn({ id, credential, line }: Wait, end: CallEnd, begunAt = 0): number | undefined {
    line.usedAt = this.#clock.monotonic();
    if (end.answered) line.learn(end, begunAt, credential);
    if (!end.answered || end.httpStatus !== 401) {
      this.refusedKeys.ended(credential, id, end.answered);
      return line.pausedUntil;
    }
    const tryAt = this.refusedKeys.refused(credential, id);
    for (const other of this.#waiting.values()) if (other.line === line) other.end();
    return tryAt;
  }

  /** It counts as used now; those that have not been for long are forgotten. */
  #use(credential: string): Line {
    const { clock, rate, inFlight } = this.#options;
    const line = this.#lines.get(credential) ?? new Line(clock, rate, inFlight);
    line.usedAt = clock.monotonic();
    this.#lines.delete(credential);
    this.#lines.set(credential, line);
    // Calls count for as long as the window is wide.
    const forgetAfterMs = Math.max(waits.UNUSED_KEY_MS, rate.perMs);
    for (const [id, one] of this.#lines) {
      if (line.usedAt - one.usedAt < forgetAfterMs) break;
      if (one.isIdle) this.#lines.delete(id);
    }
    return line;
  }
}
