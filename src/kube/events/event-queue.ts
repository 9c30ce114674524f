import { type Waiting, WaitingQueue } from '../../waiting-queue.ts';
import type { EventBody } from './event-body.ts';

/** An event that waits to be sent. */
export interface Unsent {
  readonly body: EventBody;
  /** It tells what stands nowhere else. */
  readonly always: boolean;
  /** When it is tried for the last time, by the monotonic clock. */
  readonly until: number;
}

interface Place extends Waiting {
  readonly event: Unsent;
}

/** A single namespace gets half of them: about 2 MB of the longest notes. */
const PLACES = 2_000;
/** With those that tell what stands nowhere else: 20 MB of the longest notes for one namespace. */
const PLACES_WITH_ALWAYS = 10 * PLACES;

/**
 * Namespaces take turns, and within one it is first in, first out; one that is paused is passed
 * over.
 */
export class EventQueue {
  readonly #queue = new WaitingQueue<Place>();
  readonly #ordinary = new Places(PLACES);
  readonly #all = new Places(PLACES_WITH_ALWAYS);
  /** Until when, of namespaces of which an event waits. */
  readonly #paused = new Map<string, number>();
  #rank = 0;

  get size(): number {
    return this.#queue.size;
  }

  hasRoom(namespace: string, always: boolean): boolean {
    return (always ? this.#all : this.#ordinary).hasRoom(namespace);
  }

  /** Behind the others of its namespace, whether there is room or not. */
  add(event: Unsent): void {
    const { namespace } = event.body.metadata;
    this.#rank += 1;
    this.#queue.add({ event, lane: 'user', group: namespace, rank: this.#rank });
    this.#all.take(namespace);
    if (!event.always) this.#ordinary.take(namespace);
  }

  /** The next one; undefined: none waits, or all namespaces are paused. */
  take(now: number): Unsent | undefined {
    const place = this.#queue.first((namespace) => (this.#paused.get(namespace) ?? 0) <= now);
    if (!place) return undefined;
    const { event, group } = place;
    this.#queue.serve(place);
    this.#paused.delete(group);
    this.#all.giveBack(group);
    if (!event.always) this.#ordinary.giveBack(group);
    return event;
  }

  /** The namespace has no turn before then, where an event of it waits. */
  pause(namespace: string, until: number): void {
    if (this.#all.isHeld(namespace)) this.#paused.set(namespace, until);
  }

  /** When the first of the paused namespaces has its turn again. */
  resumesAt(): number {
    return Math.min(...this.#paused.values());
  }
}

/**
 * A namespace gets no more places while it holds as many as are free: so a single one holds half of
 * all, and k of them leave about one part in k + 1.
 */
class Places {
  readonly #held = new Map<string, number>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  hasRoom(namespace: string): boolean {
    return (this.#held.get(namespace) ?? 0) < this.#free;
  }

  isHeld(namespace: string): boolean {
    return this.#held.has(namespace);
  }

  take(namespace: string): void {
    this.#free -= 1;
    this.#held.set(namespace, (this.#held.get(namespace) ?? 0) + 1);
  }

  giveBack(namespace: string): void {
    this.#free += 1;
    const left = (this.#held.get(namespace) ?? 0) - 1;
    if (left > 0) this.#held.set(namespace, left);
    else this.#held.delete(namespace);
  }
}
