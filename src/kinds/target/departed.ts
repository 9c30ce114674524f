import type { Calls } from './target.ts';

/** Targets of which it is remembered, and objects of each; the oldest goes first. */
const MOST_TARGETS = 10_000;
const MOST_OF_ONE = 10;

/**
 * What the API took of objects that are gone it holds still: to the others of their target it
 * counts as if they were there.
 */
export class Departed {
  /** By target, then uid. */
  readonly #calls = new Map<string, Map<string, Calls>>();

  /** An object of this target is gone, and others are to act on what it has sent. */
  leaves(target: string, uid: string, calls: Calls): void {
    const before = this.#calls.get(target) ?? new Map<string, Calls>();
    putLast(before, uid, { value: calls, most: MOST_OF_ONE });
    putLast(this.#calls, target, { value: before, most: MOST_TARGETS });
  }

  /** Of others than this object: a restored backup may have brought it back. */
  of(target: string, uid: string): readonly Calls[] {
    return [...(this.#calls.get(target) ?? [])].flatMap(([other, calls]) =>
      other === uid ? [] : [calls],
    );
  }
}

function putLast<T>(
  map: Map<string, T>,
  key: string,
  { value, most }: { readonly value: T; readonly most: number },
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}
