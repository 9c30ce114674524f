import { type Lane, type Waiting, WaitingQueue } from '../waiting-queue.ts';

/** How a key is wanted. */
export interface Wanted {
  readonly lane: Lane;
  /** Others wait for what it has until its reconcile makes use of it. */
  readonly holdsSlot: boolean;
}

interface Place extends Waiting {
  readonly key: string;
  readonly holdsSlot: boolean;
}

/** A key that is wanted again loses nothing of what it was wanted for before. */
export function wantedMore(before: Wanted | undefined, now: Wanted): Wanted {
  return {
    lane: before?.lane === 'user' ? 'user' : now.lane,
    holdsSlot: before?.holdsSlot === true || now.holdsSlot,
  };
}

/** The namespace in a key of the queue, `kind/namespace/name`. */
export function namespaceIn(key: string): string {
  return key.split('/', 2)[1] ?? '';
}

/**
 * Each key once. Namespaces take turns. Within one go first those that hold a slot, so that no
 * backlog of their own makes other namespaces wait for it; else it is first in, first out. A
 * scheduled key that comes again for a user moves up, and so does one that comes with a slot.
 */
export class Lanes {
  readonly #queue = new WaitingQueue<Place>();
  readonly #places = new Map<string, Place>();
  #rank = 0;

  get size(): number {
    return this.#places.size;
  }

  push(key: string, now: Lane, hasSlot = false): void {
    const before = this.#places.get(key);
    const { lane, holdsSlot } = wantedMore(before, { lane: now, holdsSlot: hasSlot });
    if (before?.lane === lane && before.holdsSlot === holdsSlot) return;
    this.#rank += 1;
    const rank = holdsSlot ? this.#rank - Number.MAX_SAFE_INTEGER : this.#rank;
    const place = { key, lane, holdsSlot, group: namespaceIn(key), rank };
    this.#places.set(key, place);
    this.#queue.add(place);
    // Only now: a namespace without any loses its place in the round.
    if (before) this.#queue.remove(before);
  }

  /** The next key; namespaces that `mayTake` refuses are passed over. */
  shift(mayTake?: (namespace: string) => boolean): string | undefined {
    const next = this.#queue.first(mayTake);
    if (!next) return undefined;
    this.#queue.serve(next);
    this.#places.delete(next.key);
    return next.key;
  }
}
