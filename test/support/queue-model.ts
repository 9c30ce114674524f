import type { Lane } from '../../src/controller/queue.ts';

/**
 * What a queue of keys shall do, written for reading and not for speed: a list in the order of
 * adding, a list of delays, a set of what is out.
 */
export class QueueModel {
  readonly #waiting: { key: string; lane: Lane }[] = [];
  readonly #delays = new Map<string, number>();
  readonly #again = new Map<string, Lane>();
  readonly #running = new Set<string>();
  /** Users' keys taken one after another while scheduled ones waited. */
  #passedOver = 0;
  #now = 0;

  add(key: string, lane: Lane): void {
    if (this.#running.has(key)) {
      if (this.#again.get(key) !== 'user') this.#again.set(key, lane);
      return;
    }
    const index = this.#waiting.findIndex((place) => place.key === key);
    if (index >= 0 && (this.#waiting[index]?.lane === 'user' || lane === 'scheduled')) return;
    if (index >= 0) this.#waiting.splice(index, 1);
    this.#waiting.push({ key, lane });
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

  /** Users' keys go first, but after four that scheduled ones had to wait for it is their turn. */
  take(): string | undefined {
    if (this.#waiting.length === 0) return undefined;
    const first: Lane = this.#passedOver === 4 ? 'scheduled' : 'user';
    const preferred = this.#waiting.findIndex(({ lane }) => lane === first);
    const [place] = this.#waiting.splice(Math.max(0, preferred), 1);
    if (!place) return undefined;
    const isPassedOver = this.#waiting.some(({ lane }) => lane === 'scheduled');
    this.#passedOver = place.lane === 'user' && isPassedOver ? this.#passedOver + 1 : 0;
    this.#delays.delete(place.key);
    this.#running.add(place.key);
    return place.key;
  }

  done(key: string): void {
    this.#running.delete(key);
    const lane = this.#again.get(key);
    this.#again.delete(key);
    if (lane) this.add(key, lane);
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
