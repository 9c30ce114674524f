import { type Lane, type Waiting, WaitingQueue } from '../waiting-queue.ts';

interface Place extends Waiting {
  readonly key: string;
}

/** First in, first out, each key once; a scheduled key that comes again for a user moves up. */
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
    const place = { key, lane, rank: (this.#rank += 1) };
    this.#places.set(key, place);
    this.#queue.add(place);
  }

  shift(): string | undefined {
    const next = this.#queue.first();
    if (!next) return undefined;
    this.#queue.serve(next);
    this.#places.delete(next.key);
    return next.key;
  }
}
