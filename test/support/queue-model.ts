import type { Lane } from '../../src/controller/queue.ts';

interface Wanted {
  readonly key: string;
  readonly lane: Lane;
  readonly holdsSlot: boolean;
}

/**
 * What a queue of keys shall do, written for reading and not for speed: a list in the order of
 * adding, a list of delays, a set of what is out.
 */
export class QueueModel {
  readonly #waiting: Wanted[] = [];
  readonly #delays = new Map<string, number>();
  readonly #again = new Map<string, Wanted>();
  readonly #running = new Set<string>();
  /** Users' keys taken one after another while scheduled ones waited. */
  #passedOver = 0;
  #now = 0;

  add(key: string, lane: Lane, holdsSlot = false): void {
    const index = this.#waiting.findIndex((place) => place.key === key);
    const before = this.#running.has(key) ? this.#again.get(key) : this.#waiting[index];
    const now = { key, lane, holdsSlot };
    if (before?.lane === 'user') now.lane = 'user';
    if (before?.holdsSlot) now.holdsSlot = true;
    if (this.#running.has(key)) this.#again.set(key, now);
    else if (now.lane !== before?.lane || now.holdsSlot !== before.holdsSlot) {
      if (index >= 0) this.#waiting.splice(index, 1);
      this.#waiting.push(now);
    }
  }

  addAfter(key: string, delayMs: number): void {
    this.#delays.set(
      key,
      Math.min(this.#delays.get(key) ?? Number.POSITIVE_INFINITY, this.#now + delayMs),
    );
  }

  advance(ms: number): void {
    for (this.#now += ms; ; ) {
      const due = [...this.#delays]
        .filter(([, at]) => at <= this.#now)
        .toSorted(([, a], [, b]) => a - b)[0];
      if (!due) return;
      this.#delays.delete(due[0]);
      this.add(due[0], 'scheduled');
    }
  }

  /**
   * Users' keys go first, but after four that scheduled ones had to wait for it is their turn; of
   * each of the two those that hold a slot.
   */
  take(): string | undefined {
    if (this.#waiting.length === 0) return undefined;
    const first: Lane = this.#passedOver === 4 ? 'scheduled' : 'user';
    const isThere = this.#waiting.some(({ lane }) => lane === first);
    const ofLane = this.#waiting.filter(({ lane }) => !isThere || lane === first);
    const place = ofLane.find(({ holdsSlot }) => holdsSlot) ?? ofLane[0];
    if (!place) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(place), 1);
    const isPassedOver = this.#waiting.some(({ lane }) => lane === 'scheduled');
    this.#passedOver = place.lane === 'user' && isPassedOver ? this.#passedOver + 1 : 0;
    this.#delays.delete(place.key);
    this.#running.add(place.key);
    return place.key;
  }

  done(key: string): void {
    this.#running.delete(key);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again) this.add(key, again.lane, again.holdsSlot);
  }

  forget(key: string): void {
    this.#delays.delete(key);
  }

  get running(): readonly string[] {
    return [...this.#running];
  }

  get depth(): number {
    return this.#waiting.length;
  }
}
