const { setImmediate } = globalThis;
/** Events in one turn of Node's loop. */
const TURN = 50;
/** The busiest lives have some hundred thousand. */
const MOST_EVENTS = 5_000_000;

/** What every clock says at the beginning. */
export const BEGINNING = Date.parse('2026-03-01T00:00:00Z');

interface Entry {
  readonly at: number;
  readonly order: number;
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
  readonly #heap: Entry[] = [];
  #now = 0;
  #order = 0;
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
    this.#heap.length = 0;
  }

  /**
   * One event, and those before it that nobody hears of at once; false: there is none up to this
   * time.
   */
  #next(end: number): boolean {
    for (let next = this.#heap[0]; next && next.at <= end && !this.#stopped; next = this.#heap[0]) {
      this.#pop();
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

  #set(delayMs: number, run: () => void, wakes: boolean): () => void {
    const entry = {
      at: this.#now + (delayMs > 0 ? delayMs : 0),
      order: this.#order++,
      run,
      wakes,
      cancelled: false,
    };
    this.#push(entry);
    return () => {
      entry.cancelled = true;
    };
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (!parent || isBefore(parent, entry)) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (heap.length === 0 || !last) return;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      const child = right && left && isBefore(right, left) ? 2 * index + 2 : 2 * index + 1;
      const next = heap[child];
      if (!next || isBefore(last, next)) break;
      heap[index] = next;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(a: Entry, b: Entry): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
