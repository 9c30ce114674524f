import type { Cancel, Clock } from '../../src/clock.ts';

interface Entry {
  readonly due: number;
  readonly run: () => void;
}

/**
 * A clock that stands still until `advance` moves it; due runs happen in time order, then in the
 * order they were set.
 */
export class FakeClock implements Clock {
  #monotonic = 0;
  readonly #wallStart: number;
  readonly #entries = new Set<Entry>();

  constructor(startIso = '2026-01-01T00:00:00.000Z') {
    this.#wallStart = Date.parse(startIso);
  }

  now(): number {
    return this.#wallStart + this.#monotonic;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  at(delayMs: number, run: () => void): Cancel {
    const entry = { due: this.#monotonic + Math.max(0, delayMs), run };
    this.#entries.add(entry);
    return () => this.#entries.delete(entry);
  }

  /** How many runs are waiting. */
  get pending(): number {
    return this.#entries.size;
  }

  /** Moves both clocks on, running what falls due and letting promises settle after each run. */
  async advance(ms: number): Promise<void> {
    const end = this.#monotonic + ms;
    await settle();
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#entries.delete(next);
      this.#monotonic = Math.max(this.#monotonic, next.due);
      next.run();
      await settle();
    }
    this.#monotonic = end;
    await settle();
  }

  #next(until: number): Entry | undefined {
    let best: Entry | undefined;
    for (const entry of this.#entries)
      if (entry.due <= until && entry.due < (best?.due ?? Infinity)) best = entry;
    return best;
  }
}

/** Lets every promise that can settle without I/O do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
