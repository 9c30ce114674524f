const { setImmediate } = globalThis;
/** Events in one turn of Node's loop. */
const TURN = 50;
/** The busiest lives have some hundred thousand. */
const MOST_EVENTS = 5_000_000;

/** What every clock says at the beginning. */
export const BEGINNING = Date.parse('2026-03-01T00:00:00Z');

interface Entry {
  readonly at: number;
  readonly run: () => void;
  readonly wakes: boolean;
  cancelled: boolean;
}

/**
 * The one order in which everything happens: events by their time, and by when they were set where
 * times are equal. Between two events all promises that can go on do so, so that an event sees what
 * followed from the one before.
 */
export class Timeline {
  /** In their order; there are never many. */
  readonly #entries: Entry[] = [];
  #now = 0;
  #events = 0;
  #stopped = false;

  /** Milliseconds since the beginning; moves only from event to event. */
  get now(): number {
    return this.#now;
  }

  /** Something that happens later; what it returns takes it back. */
  at(delayMs: number, run: () => void): () => void {
    return this.#set(delayMs, run, true);
  }

  /** The same for what no process hears of at once: no promise goes on before the next event. */
  quietlyAt(delayMs: number, run: () => void): () => void {
    return this.#set(delayMs, run, false);
  }

  /** Lets everything happen up to a time, which it is then. Throws what an event throws. */
  async runUntil(end: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      let planned = 0;
      let over = false;
      const finish = (how: () => void): void => {
        over = true;
        how();
      };
      const step = (): void => {
        planned -= 1;
        if (over) return;
        try {
          if (!this.#next(end)) finish(resolve);
          else if (planned === 0) plan();
        } catch (error) {
          finish(() => reject(error instanceof Error ? error : new Error(String(error))));
        }
      };
      const plan = (): void => {
        for (planned = 0; planned < TURN; planned += 1) setImmediate(step);
      };
      plan();
    });
    if (!this.#stopped) this.#now = Math.max(this.#now, end);
  }

  /** Nothing happens any more, and what waits is forgotten. */
  stop(): void {
    this.#stopped = true;
    this.#entries.length = 0;
  }

  /**
   * One event, and those before it that nobody hears of at once; false: there is none up to this
   * time.
   */
  #next(end: number): boolean {
    const entries = this.#entries;
    for (let next = entries[0]; next && next.at <= end && !this.#stopped; next = entries[0]) {
      entries.shift();
      if (next.cancelled) continue;
      this.#now = next.at;
      this.#events += 1;
      if (this.#events > MOST_EVENTS)
        throw new Error(`${MOST_EVENTS} events, and no end: something goes round and round`);
      next.run();
      if (next.wakes) return true;
    }
    return false;
  }

  /** Behind what was set before for the same time. */
  #placeOf(at: number): number {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#entries[middle]?.at ?? at) <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #set(delayMs: number, run: () => void, wakes: boolean): () => void {
    const at = this.#now + (delayMs > 0 ? delayMs : 0);
    const entry = { at, run, wakes, cancelled: false };
    this.#entries.splice(this.#placeOf(at), 0, entry);
    return () => {
      entry.cancelled = true;
    };
  }
}
