import { firstPlace } from './binary-search.ts';

/**
 * `user`: somebody changed something and may be watching. `scheduled`: retries, re-asserts, the
 * first list.
 */
export type Lane = 'user' | 'scheduled';

/** Whoever waits: `rank` is its place by age and never changes. */
export interface Waiting {
  readonly rank: number;
  lane: Lane;
  /** Groups take turns, whatever their size. */
  readonly group: string;
}

/** After this many of the user lane in a row, one of the scheduled lane has its turn. */
const USERS_IN_A_ROW = 4;

/**
 * Two lanes. User changes go first, but while scheduled work waits every fifth turn is its own, so
 * that neither lane can starve the other. In each lane the groups have one turn each, and within a
 * group goes first who is oldest by rank.
 */
export class WaitingQueue<T extends Waiting> {
  readonly #lanes: Readonly<Record<Lane, InTurns<T>>> = {
    user: new InTurns(),
    scheduled: new InTurns(),
  };
  #usersInARow = 0;

  get size(): number {
    return this.#lanes.user.size + this.#lanes.scheduled.size;
  }

  /** Takes its place by rank: who stood here before and comes back loses nothing in its group. */
  add(entry: T): void {
    this.#lanes[entry.lane].add(entry);
  }

  remove(entry: T): void {
    this.#lanes[entry.lane].remove(entry);
  }

  /** Who is next; it stays in the queue. Groups that `mayServe` refuses are passed over. */
  first(mayServe: (group: string) => boolean = () => true): T | undefined {
    const user = this.#lanes.user.first(mayServe);
    const isScheduledTurn = user === undefined || this.#usersInARow >= USERS_IN_A_ROW;
    return (isScheduledTurn ? this.#lanes.scheduled.first(mayServe) : undefined) ?? user;
  }

  /** How many of its group go before it; of those whose turn comes in between none is counted. */
  ahead(entry: T): number {
    const { user, scheduled } = this.#lanes;
    return entry.lane === 'user' ? user.ahead(entry) : user.size + scheduled.ahead(entry);
  }

  /** Takes out the one whose turn it is, and counts the turn. */
  serve(entry: T): void {
    this.#lanes[entry.lane].serve(entry);
    const passedOver = entry.lane === 'user' && this.#lanes.scheduled.size > 0;
    this.#usersInARow = passedOver ? this.#usersInARow + 1 : 0;
  }
}

/** Those of one group; its rank is its place in the round, and moves to the end with each turn. */
interface Group<T extends Waiting> {
  readonly name: string;
  readonly members: ByRank<T>;
  rank: number;
}

/** One lane: a round of groups. */
class InTurns<T extends Waiting> {
  readonly #groups = new Map<string, Group<T>>();
  readonly #round = new ByRank<Group<T>>();
  #lastTurn = 0;
  size = 0;

  first(mayServe: (group: string) => boolean): T | undefined {
    for (const group of this.#round) if (mayServe(group.name)) return group.members.first();
    return undefined;
  }

  add(entry: T): void {
    const known = this.#groups.get(entry.group);
    const group = known ?? this.#open(entry.group);
    group.members.add(entry);
    this.size += 1;
  }

  remove(entry: T): void {
    const group = this.#groups.get(entry.group);
    if (!group?.members.remove(entry)) return;
    this.size -= 1;
    if (group.members.size > 0) return;
    this.#round.remove(group);
    this.#groups.delete(group.name);
  }

  ahead(entry: T): number {
    return this.#groups.get(entry.group)?.members.ahead(entry.rank) ?? 0;
  }

  serve(entry: T): void {
    this.remove(entry);
    const group = this.#groups.get(entry.group);
    if (!group) return;
    this.#round.remove(group);
    group.rank = this.#lastTurn += 1;
    this.#round.add(group);
  }

  #open(name: string): Group<T> {
    const group: Group<T> = { name, members: new ByRank(), rank: (this.#lastTurn += 1) };
    this.#groups.set(name, group);
    this.#round.add(group);
    return group;
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

  *[Symbol.iterator](): Generator<T> {
    for (let place = this.#start; place < this.#items.length; place += 1) {
      const item = this.#items[place];
      if (item) yield item;
    }
  }

  /** How many stand before this rank. */
  ahead(rank: number): number {
    return this.#placeOf(rank) - this.#start;
  }

  add(entry: T): void {
    this.#items.splice(this.#placeOf(entry.rank), 0, entry);
  }

  /** Whether it was there. */
  remove(entry: T): boolean {
    const place = this.#placeOf(entry.rank);
    if (this.#items[place] !== entry) return false;
    if (place > this.#start) this.#items.splice(place, 1);
    else this.#takeOff();
    return true;
  }

  #takeOff(): void {
    this.#start += 1;
    if (this.#start * 2 < this.#items.length) return;
    this.#items = this.#items.slice(this.#start);
    this.#start = 0;
  }

  #placeOf(rank: number): number {
    return firstPlace(
      this.#start,
      this.#items.length,
      (place) => (this.#items[place]?.rank ?? rank) >= rank,
    );
  }
}
