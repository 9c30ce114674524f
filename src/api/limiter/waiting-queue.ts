import type { Lane } from './limiter.ts';

/** Whoever stands in line: `rank` is its place by age and never changes. */
export interface Ranked {
  readonly rank: number;
  lane: Lane;
}

/** After this many user grants in a row a waiting scheduled key has its turn. */
const USER_GRANTS_IN_A_ROW = 4;

/** Two lanes, each in order of rank; user changes first, but scheduled work gets one of five. */
export class WaitingQueue<T extends Ranked> {
  readonly #lanes: Readonly<Record<Lane, T[]>> = { user: [], scheduled: [] };
  #userInARow = 0;

  get size(): number {
    return this.#lanes.user.length + this.#lanes.scheduled.length;
  }

  /** Takes its place by rank: who stood here before and comes back loses nothing. */
  add(entry: T): void {
    const lane = this.#lanes[entry.lane];
    lane.splice(placeOf(entry.rank, lane), 0, entry);
  }

  remove(entry: T): void {
    const lane = this.#lanes[entry.lane];
    const place = placeOf(entry.rank, lane);
    if (lane[place] === entry) lane.splice(place, 1);
  }

  /** Who is next; it stays in line. */
  first(): T | undefined {
    const { user, scheduled } = this.#lanes;
    const [nextUser] = user;
    const [nextScheduled] = scheduled;
    if (nextScheduled && (!nextUser || this.#userInARow >= USER_GRANTS_IN_A_ROW))
      return nextScheduled;
    return nextUser;
  }

  /** Takes out one that got a slot and counts it for the lanes' turns. */
  serve(entry: T): void {
    this.remove(entry);
    const passedOver = entry.lane === 'user' && this.#lanes.scheduled.length > 0;
    this.#userInARow = passedOver ? this.#userInARow + 1 : 0;
  }
}

function placeOf(rank: number, lane: readonly Ranked[]): number {
  let low = 0;
  let high = lane.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((lane[middle]?.rank ?? rank) < rank) low = middle + 1;
    else high = middle;
  }
  return low;
}
