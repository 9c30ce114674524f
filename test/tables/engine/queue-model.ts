import type { Priority } from '../../../src/controller/queue.ts';

interface Wanted {
  readonly key: string;
  readonly priority: Priority;
}

/**
 * What a queue of keys shall do, written for reading and not for speed: a list in the order of
 * adding, a list of delays, a set of what is out.
 */
export class QueueModel {
  readonly #waiting: Wanted[] = [];
  readonly #delays = new Map<string, number>();
  readonly #again = new Map<string, Priority>();
  readonly #out = new Set<string>();
  #now = 0;

  add(key: string, priority: Priority): void {
    if (this.#out.has(key)) {
      if (this.#again.get(key) !== 'user') this.#again.set(key, priority);
      return;
    }
    const index = this.#waiting.findIndex((place) => place.key === key);
    const before = this.#waiting[index];
    if (before?.priority === 'user' || before?.priority === priority) return;
    if (before) this.#waiting.splice(index, 1);
    this.#waiting.push({ key, priority });
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

  take(): string | undefined {
    const place = this.#waiting.find(({ priority }) => priority === 'user') ?? this.#waiting[0];
    if (!place) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(place), 1);
    this.#delays.delete(place.key);
    this.#out.add(place.key);
    return place.key;
  }

  done(key: string): void {
    this.#out.delete(key);
    const again = this.#again.get(key);
    this.#again.delete(key);
    if (again) this.add(key, again);
  }

  get out(): readonly string[] {
    return [...this.#out];
  }

  get depth(): number {
    return this.#waiting.length;
  }

  /** Keys that come by time. */
  get delayed(): number {
    return this.#delays.size;
  }
}
