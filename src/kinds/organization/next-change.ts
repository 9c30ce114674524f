import { type Apart, nextPart } from './apart.ts';
import { type Change, NO_CHANGE } from './change.ts';
import { type Tuple, tupleKey } from './endpoints.ts';

/** What is sent next of a change, and what is left of it where it was refused as a whole. */
export interface NextChange {
  readonly left: Pick<Change, 'add' | 'remove'>;
  readonly apart?: Apart;
}

/** All of it; the next part of what was refused as a whole; or one at a time, where the API cannot be asked and each reply is the next list. */
export function nextChange(
  before: Apart | undefined,
  change: Change,
  { oneAtATime }: { readonly oneAtATime: boolean },
): NextChange {
  if (!before) return { left: oneAtATime ? single(change) : change };
  const { apart, part } = nextPart(before, change);
  if (part) return { left: { ...NO_CHANGE, [part.op]: part.endpoints }, apart };
  const given = (op: 'add' | 'remove') => (tuple: Tuple) =>
    apart.stopped?.op !== op && !apart.refused.some((entry) => entry.op === op && entry.key === tupleKey(tuple));
  const left = { add: change.add.filter(given('add')), remove: change.remove.filter(given('remove')) };
  return { left: oneAtATime ? single(left) : left, apart };
}

function single({ add, remove }: NextChange['left']): NextChange['left'] {
  return add.length > 0 ? { add: add.slice(0, 1), remove: [] } : { add: [], remove };
}
