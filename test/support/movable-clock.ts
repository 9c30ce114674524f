import { type Cancel, type Clock, systemClock } from '../../src/clock.ts';

interface Entry {
  readonly due: number;
  readonly run: () => void;
  cancel: Cancel;
}

/**
 * How fast the hands go where each wait of the operator has to last until the test ends it: the
 * shortest is 0.8 s.
 */
const SLOW = 0.1;

/**
 * A clock that runs in real time and can be moved on, for an operator on a real API server with
 * hours of waits before it.
 */
export class MovableClock implements Clock {
  #ahead = 0;
  readonly #pace: number;
  readonly #began = { now: systemClock.now(), monotonic: systemClock.monotonic() };
  readonly #entries = new Set<Entry>();

  /** `pace`: how fast the hands go by themselves; 1 is as fast as time. */
  constructor({ pace = 1 }: { readonly pace?: number } = {}) {
    this.#pace = pace;
  }

  now(): number {
    return this.#began.now + this.#passed();
  }

  monotonic(): number {
    return this.#began.monotonic + this.#passed();
  }

  #passed(): number {
    return (systemClock.monotonic() - this.#began.monotonic) * this.#pace + this.#ahead;
  }

  at(delayMs: number, run: () => void): Cancel {
    const entry: Entry = {
      due: this.monotonic() + Math.max(0, delayMs),
      run,
      cancel: () => undefined,
    };
    this.#entries.add(entry);
    this.#arm(entry);
    return () => this.#drop(entry);
  }

  /** Moves both hands on; what has come due runs before this returns, the earliest first. */
  advance(ms: number): void {
    this.#ahead += ms;
    const now = this.monotonic();
    const due = [...this.#entries]
      .filter((entry) => entry.due <= now)
      .toSorted((a, b) => a.due - b.due);
    for (const entry of due) if (this.#drop(entry)) entry.run();
    for (const entry of this.#entries) this.#arm(entry);
  }

  #arm(entry: Entry): void {
    entry.cancel();
    entry.cancel = systemClock.at((entry.due - this.monotonic()) / this.#pace, () => {
      if (this.#drop(entry)) entry.run();
    });
  }

  /** false: it has run or was taken back before. */
  #drop(entry: Entry): boolean {
    entry.cancel();
    return this.#entries.delete(entry);
  }
}

/**
 * A clock that hardly goes by itself: what is looked at between two attempts is looked at in time,
 * however busy the machine is.
 */
export function slowClock(): MovableClock {
  return new MovableClock({ pace: SLOW });
}
