import { type Calls, past } from './target.ts';

/** Targets of which it is remembered; the oldest goes first. */
const MOST = 10_000;

/** What the API took of objects that are gone it holds still: to the others of their target it counts as if they were there. */
export class Departed {
  readonly #calls = new Map<string, Calls>();

  /** An object of this target is gone, and others are to act on what it has sent. */
  leaves(target: string, calls: Calls, now: number): void {
    const before = this.#calls.get(target);
    this.#calls.delete(target);
    this.#calls.set(target, before ? later(before, calls, now) : calls);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MOST && oldest !== undefined) this.#calls.delete(oldest);
  }

  of(target: string): Calls | undefined {
    return this.#calls.get(target);
  }
}

/** A time in the future, which a wrong clock has written, hides none that is known to have been. */
function later(one: Calls, other: Calls, now: number): Calls {
  const latest = (name: 'appliedAt' | 'provenAt' | 'unknownAt' | 'calledAt'): number | undefined => {
    const known = [one[name], other[name]].filter((at) => at !== undefined);
    return known.toSorted((a, b) => past(a, now) - past(b, now)).at(-1);
  };
  return {
    created: one.created > other.created ? one.created : other.created,
    appliedAt: latest('appliedAt'),
    provenAt: latest('provenAt'),
    unknownAt: latest('unknownAt'),
    calledAt: latest('calledAt'),
  };
}
