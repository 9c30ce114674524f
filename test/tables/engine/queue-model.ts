import type { Priority } from '../../../src/controller/queue.ts';

/**
 * What a queue of keys shall do, written for reading and not for speed: a list in the order of
 * adding, a list of delays, a set of what is out.
 */
export class QueueModel {
  #waiting: { readonly key: string; readonly priority: Priority }[] = [];
  readonly #delays = new Map<string, number>();
  readonly #again = new Map<string, Priority>();
  readonly #out = new Set<string>();
  #now = 0;

  add(key: string, priority: Priority): void {
    if (this.#out.has(key)) {
      if (this.#again.get(key) !== 'user') this.#again.set(key, priority);
      return;
    }
    const before = this.#waiting.find((place) => place.key === key);
    if (before?.priority === 'user' || before?.priority === priority) return;
    this.#waiting = [...this.#waiting.filter((place) => place !== before), { key, priority }];
  }

  addAfter(key: string, delayMs: number): void {
    const due = this.#delays.get(key) ?? Number.POSITIVE_INFINITY;
    this.#delays.set(key, Math.min(due, this.#now + delayMs));
  }

  advance(ms: number): void {
    this.#now += ms;
    for (const [key, due] of [...this.#delays].toSorted(([, one], [, other]) => one - other)) {
      if (due > this.#now) return;
      this.#delays.delete(key);
      this.add(key, 'scheduled');
    }
  }

  take(): string | undefined {
    const place = this.#waiting.find(({ priority }) => priority === 'user') ?? this.#waiting[0];
    if (!place) return undefined;
    this.#waiting = this.#waiting.filter((other) => other !== place);
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

  get depth(): number {
    return this.#waiting.length;
  }

  /** Keys that come by time. */
  get delayed(): number {
    return this.#delays.size;
  }
}
