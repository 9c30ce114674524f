import { timestamp, wholeSecond } from '../canonical.ts';
import { generationOf } from '../common-status.ts';
import { type Tuple, tupleOf } from './endpoints.ts';
import type { LedgerEntry, Organization, PendingChange } from './resource.ts';
import type { Work } from './work.ts';

/** What goes on record before a change leaves: the intent, and the ledger that it was worked out with. */
export interface Intent {
  readonly pending: PendingChange;
  readonly ledger: readonly LedgerEntry[];
}

/** The declared name goes along until the API has confirmed this generation; apart from endpoints while a refused change is taken apart. */
export function intentOf(
  object: Organization,
  work: Work,
  change: { readonly add: readonly Tuple[]; readonly remove: readonly Tuple[]; readonly now: number },
  ledger: readonly LedgerEntry[] = object.status?.privateEndpoints ?? [],
): Intent {
  const name = nameFor(object, work);
  const pending = {
    time: timestamp(wholeSecond(change.now)),
    ...(name !== undefined && { name }),
    add: change.add.map(tupleOf),
    remove: change.remove.map(tupleOf),
  };
  return { pending, ledger };
}

function nameFor({ metadata, status }: Organization, { goal, memo }: Work): string | undefined {
  if (goal.name === undefined || memo.apart) return undefined;
  const isKnown =
    status?.applied?.generation === generationOf({ metadata }) &&
    status.lastRequest?.outcome === 'Succeeded' &&
    status.organization?.name === goal.name;
  return isKnown ? undefined : goal.name;
}
