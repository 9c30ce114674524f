/**
 * `user`: somebody changed something and may be watching. `scheduled`: retries, re-asserts, the
 * first list.
 */
export type Lane = 'user' | 'scheduled';

/**
 * Of this many keys in a row at least one is a scheduled one, while any waits: neither lane can
 * starve the other.
 */
const SCHEDULED_TURN = 5;

/**
 * A key's place in line. One that has moved up leaves its old place behind, which counts no more.
 */
interface Place {
  readonly key: string;
  readonly lane: Lane;
}

/** First in, first out, each key once; user keys go ahead of scheduled ones. */
export class Lanes {
  readonly #lanes: Record<Lane, Fifo<Place>> = { user: new Fifo(), scheduled: new Fifo() };
  readonly #places = new Map<string, Place>();
  #turn = 0;

  get size(): number {
    return this.#places.size;
  }

  push(key: string, lane: Lane): void {
    const current = this.#places.get(key)?.lane;
    if (current === lane || current === 'user') return;
    const place = { key, lane };
    this.#places.set(key, place);
    this.#lanes[lane].push(place);
  }

  shift(): string | undefined {
    const isScheduledTurn = (this.#turn + 1) % SCHEDULED_TURN === 0;
    const order: readonly Lane[] = isScheduledTurn ? ['scheduled', 'user'] : ['user', 'scheduled'];
    for (const lane of order) {
      const place = this.#lanes[lane].shift(
        (candidate) => this.#places.get(candidate.key) === candidate,
      );
      if (!place) continue;
      this.#places.delete(place.key);
      this.#turn += 1;
      return place.key;
    }
    return undefined;
  }
}

/** An array read from the front without moving the rest at every step. */
class Fifo<T> {
  #items: T[] = [];
  #head = 0;

  push(item: T): void {
    this.#items.push(item);
  }

  /** The first item that still counts; the others before it are dropped. */
  shift(counts: (item: T) => boolean): T | undefined {
    while (this.#head < this.#items.length) {
      const item = this.#items[this.#head++];
      if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
        this.#items = this.#items.slice(this.#head);
        this.#head = 0;
      }
      if (item !== undefined && counts(item)) return item;
    }
    this.#items = [];
    this.#head = 0;
    return undefined;
  }
}
