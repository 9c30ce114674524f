/** `user`: somebody changed something and may be watching. `scheduled`: retries, re-asserts, the first list. */
export type Lane = 'user' | 'scheduled';

/** Of this many keys in a row at least one is a scheduled one, while any waits: neither lane can starve the other. */
const SCHEDULED_TURN = 5;

/** First in, first out, each key once; user keys go ahead of scheduled ones. */
export class Lanes {
  readonly #lanes: Record<Lane, Fifo> = { user: new Fifo(), scheduled: new Fifo() };
  readonly #laneOf = new Map<string, Lane>();
  #turn = 0;

  get size(): number {
    return this.#laneOf.size;
  }

  push(key: string, lane: Lane): void {
    const current = this.#laneOf.get(key);
    if (current === lane || current === 'user') return;
    this.#laneOf.set(key, lane);
    this.#lanes[lane].push(key);
  }

  shift(): string | undefined {
    this.#turn += 1;
    const order: readonly Lane[] = this.#turn % SCHEDULED_TURN === 0 ? ['scheduled', 'user'] : ['user', 'scheduled'];
    for (const lane of order) {
      const key = this.#lanes[lane].shift((candidate) => this.#laneOf.get(candidate) === lane);
      if (key === undefined) continue;
      this.#laneOf.delete(key);
      return key;
    }
    return undefined;
  }
}

/** An array read from the front without moving the rest at every step. */
class Fifo {
  #keys: string[] = [];
  #head = 0;

  push(key: string): void {
    this.#keys.push(key);
  }

  /** The first key that still counts; those that moved to the other lane are passed over. */
  shift(counts: (key: string) => boolean): string | undefined {
    while (this.#head < this.#keys.length) {
      const key = this.#keys[this.#head++];
      if (this.#head > 1024 && this.#head * 2 > this.#keys.length) {
        this.#keys = this.#keys.slice(this.#head);
        this.#head = 0;
      }
      if (key !== undefined && counts(key)) return key;
    }
    this.#keys = [];
    this.#head = 0;
    return undefined;
  }
}
