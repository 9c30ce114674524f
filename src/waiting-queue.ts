/**
 * `user`: somebody changed something and may be watching. `scheduled`: retries, re-asserts, the
 * first list.
 */
export type Lane = 'user' | 'scheduled';

/** Whoever waits: `rank` is its place by age and never changes. */
export interface Waiting {
  readonly rank: number;
  lane: Lane;
}

/** After this many of the user lane in a row, one of the scheduled lane has its turn. */
const USERS_IN_A_ROW = 4;

/**
 * Two lanes, each in order of rank. User changes go first, but while scheduled work waits every
 * fifth turn is its own, so that neither lane can starve the other.
 */
export class WaitingQueue<T extends Waiting> {
  readonly #lanes: Readonly<Record<Lane, ByRank<T>>> = {
    user: new ByRank(),
    scheduled: new ByRank(),
  };
  #usersInARow = 0;

  get size(): number {
    return this.#lanes.user.size + this.#lanes.scheduled.size;
  }

  /** Takes its place by rank: who stood here before and comes back loses nothing. */
  add(entry: T): void {
    this.#lanes[entry.lane].add(entry);
  }

  remove(entry: T): void {
    this.#lanes[entry.lane].remove(entry);
  }

  /** Who is next; it stays in the queue. */
  first(): T | undefined {
    const user = this.#lanes.user.first();
    const scheduled = this.#lanes.scheduled.first();
    const isScheduledTurn = user === undefined || this.#usersInARow >= USERS_IN_A_ROW;
    return scheduled && isScheduledTurn ? scheduled : user;
  }

  /** Takes out the one whose turn it is, and counts the turn. */
  serve(entry: T): void {
    this.remove(entry);
    const passedOver = entry.lane === 'user' && this.#lanes.scheduled.size > 0;
    this.#usersInARow = passedOver ? this.#usersInARow + 1 : 0;
  }
}

/**
 * In order of rank. Those taken off the front stay in the array until they are half of it: moving
 * the others at every step takes up to 1 ms where a hundred thousand wait.
 */
class ByRank<T extends { readonly rank: number }> {
  #items: T[] = [];
  #start = 0;

  get size(): number {
    return this.#items.length - this.#start;
  }

  first(): T | undefined {
    return this.#items[this.#start];
  }

  add(entry: T): void {
    this.#items.splice(this.#placeOf(entry.rank), 0, entry);
  }

  remove(entry: T): void {
    const place = this.#placeOf(entry.rank);
    if (this.#items[place] !== entry) return;
    if (place > this.#start) this.#items.splice(place, 1);
    else this.#takeOff();
  }

  #takeOff(): void {
    this.#start += 1;
    if (this.#start * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#start);
    this.#start = 0;
  }

  #placeOf(rank: number): number {
    let low = this.#start;
    let high = this.#items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#items[middle]?.rank ?? rank) < rank) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
