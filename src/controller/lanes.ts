import { type Lane, type Waiting, WaitingQueue } from '../waiting-queue.ts';

interface Place extends Waiting {
  readonly key: string;
}

/** The namespace in a key of the queue, `kind/namespace/name`. */
export function namespaceIn(key: string): string {
  return key.split('/', 2)[1] ?? '';
}

/**
 * Each key once. Namespaces take turns, and within one it is first in, first out; a scheduled key
 * that comes again for a user moves up.
 */
export class Lanes {
  readonly #queue = new WaitingQueue<Place>();
  readonly #places = new Map<string, Place>();
  #rank = 0;

  get size(): number {
    return this.#places.size;
  }

  push(key: string, lane: Lane): void {
    const current = this.#places.get(key);
    if (current?.lane === lane || current?.lane === 'user') return;
    if (current) this.#queue.remove(current);
    const place = { key, lane, group: namespaceIn(key), rank: (this.#rank += 1) };
    this.#places.set(key, place);
    this.#queue.add(place);
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
