import { plain, sameKey, type Tuple } from '../endpoints/endpoints.ts';
import type { PendingChange } from '../resource.ts';

/** Who is to blame for a change that the API refused. */
export interface Blame {
  readonly isBlamed: (tuple: Tuple) => boolean;
  /** Nobody in particular: the rest of the attempt goes in smaller parts. */
  readonly split: boolean;
}

/** The ids that the API's text names, if it names some and not all; a change of one; removals together. Else nobody. */
export function blame({ add, remove }: Pick<PendingChange, 'add' | 'remove'>, text: string): Blame {
  const all = [...add, ...remove];
  const named = all.filter(({ id }) => names(text, id));
  const those = (tuples: readonly Tuple[]): Blame => {
    const keys = new Set(tuples.map(sameKey));
    return { isBlamed: (tuple) => keys.has(sameKey(tuple)), split: false };
  };
  if (all.length === 1) return those(all);
  if (named.length > 0 && named.length < all.length) return those(named);
  if (add.length === 0) return those(remove);
  return { isBlamed: () => false, split: true };
}

/** Whether a text has this id as a whole word: neither side goes on with what ids are made of. */
function names(text: string, id: string): boolean {
  const words = plain(text);
  const word = plain(id);
  for (let at = words.indexOf(word); at >= 0; at = words.indexOf(word, at + 1)) {
    const before = words.slice(Math.max(0, at - 1), at);
    const after = words.slice(at + word.length, at + word.length + 2);
    if (!/[\w~/-]/.test(before) && !/^([\w~/-]|[.:][\w~/-])/.test(after)) return true;
  }
  return false;
}
