import { isListed, type Known, standsFor, type Tuple, tupleKey } from './endpoints.ts';
import { type Goal, isOurs } from './goal.ts';
import type { DeclaredEndpoint, LedgerEntry } from './resource.ts';

/** What has to happen to the private endpoints, worked out from a list. */
export interface Change {
  readonly add: readonly DeclaredEndpoint[];
  readonly remove: readonly Tuple[];
  /** Would be added or removed, but the id is reported under another tuple that is not ours. */
  readonly conflicts: readonly Tuple[];
  /** The list that is kept has too few entries to decide: it must be read. */
  readonly undecided: boolean;
}

export const NO_CHANGE: Change = { add: [], remove: [], conflicts: [], undecided: false };

/**
 * The difference between goal and list. Only what is ours is ever in `remove`; an id is never in both lists: while any
 * endpoint with it is there, none is added. What the ledger holds as unconfirmed, refused or being removed is left alone.
 */
export function changeFor(goal: Goal, ledger: readonly LedgerEntry[], known: Known): Change {
  if (!goal.endpoints) return NO_CHANGE;
  const entries = new Map(ledger.map((entry) => [tupleKey(entry), entry]));
  const listed = new Set(goal.endpoints.map(tupleKey));
  const add: DeclaredEndpoint[] = [];
  const remove: Tuple[] = [];
  const conflicts: Tuple[] = [];
  let undecided = false;
  const strangers = (tuple: Tuple): boolean =>
    known.entries.some(
      (reported) =>
        reported.id === tuple.id &&
        !standsFor(reported, tuple) &&
        !ledger.some((entry) => isOurs(entry, goal) && standsFor(reported, entry)),
    );
  for (const endpoint of goal.only === 'removals' ? [] : goal.endpoints) {
    if (entries.has(tupleKey(endpoint)) || isListed(known.entries, endpoint)) continue;
    if (!known.complete) undecided = true;
    else if (strangers(endpoint)) conflicts.push(endpoint);
    else if (!hasId(known, ledger, endpoint.id)) add.push(endpoint);
  }
  for (const entry of ledger) {
    if (!isOurs(entry, goal) || listed.has(tupleKey(entry)) || entry.state !== 'Present') continue;
    if (!known.complete) undecided = true;
    else if (strangers(entry)) conflicts.push(entry);
    else remove.push(entry);
  }
  return { add, remove, conflicts, undecided };
}

/** Whether an endpoint with this id is there or may be, so that another one with it has to wait. */
function hasId(known: Known, ledger: readonly LedgerEntry[], id: string): boolean {
  return (
    known.entries.some((reported) => reported.id === id) ||
    ledger.some((entry) => entry.id === id && entry.state !== 'Refused')
  );
}

export function isBlocked(goal: Goal, change: Change): boolean {
  return change.remove.length > goal.mostRemovals;
}
