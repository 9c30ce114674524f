import { cleanupGoal, type Goal } from '../../src/kinds/organization/decide.ts';
import type { Reported, Tuple } from '../../src/kinds/organization/endpoints.ts';
import type { InventoryEntry, PendingChange } from '../../src/kinds/organization/resource.ts';
import { type Settlement, settle } from '../../src/kinds/organization/settle.ts';
import { MINUTE, SECOND, T0 } from './objects.ts';
import { at, e, entry, goal, listing, specOf } from './organization-entries.ts';

/** `--api-timeout` of 35 s, and 60 s. */
export const SETTLE_MS = 95 * SECOND;

/** What one list is read with; times in ms after T0. */
export interface Given {
  readonly inventory?: readonly InventoryEntry[];
  readonly goal?: Goal;
  readonly list?: readonly (string | Reported)[];
  readonly askedAt?: number;
  /** Absent: a second after it was asked. */
  readonly now?: number;
  /** When the change was written; absent: at T0. */
  readonly writtenAt?: number;
  readonly add?: readonly Tuple[];
  readonly remove?: readonly Tuple[];
  /** This list of spec was applied before. */
  readonly wasApplied?: boolean;
  /** The list is in the reply to the change. */
  readonly answered?: boolean;
}

export function settled(given: Given): Settlement {
  const { inventory = [], list = [], askedAt = SECOND, add, remove } = given;
  const change: PendingChange | undefined = (add ?? remove) && {
    time: at(given.writtenAt ?? 0),
    add: [...(add ?? [])],
    remove: [...(remove ?? [])],
  };
  return settle({
    inventory,
    goal: given.goal ?? goal(['a']),
    list: listing(...list),
    askedAt: T0 + askedAt,
    now: T0 + (given.now ?? askedAt + SECOND),
    sent: change && { change, answered: given.answered ?? false },
    settleMs: SETTLE_MS,
    uid: 'uid-1',
    wasApplied: given.wasApplied ?? false,
  });
}

/** `a Added Present; event maybe-ours; change open`, in short. */
export function said({ inventory, remarks, pendingChange, added, removed }: Settlement): string {
  const parts = [
    ...inventory.map(({ id, origin = '–', state }) => `${id} ${origin} ${state}`),
    ...added.map(({ id }) => `added ${id}`),
    ...removed.map(({ id }) => `removed ${id}`),
    ...remarks.map(({ remark, tuple }) => `event ${remark} ${tuple.id}`),
    ...(pendingChange ? ['change open'] : []),
  ];
  return parts.join('; ') || 'nothing';
}

/** A sentence, what is given, and what `said` makes of it. */
export type Row = readonly [sentence: string, given: Given, says: string];

export const ADD = { add: [e('a')] };
export const REMOVE = { remove: [e('a')] };
export const ADOPT = goal(['a'], { adoptPrivateEndpoints: true });
export const UNLISTED = goal([]);
export const found = entry('a', { origin: 'Found' });
export const adopted = entry('a', { origin: 'Adopted' });
export const missing = entry('a', { state: 'Missing', since: at(0), nextAttemptTime: at(MINUTE) });
export const removing = entry('a', { state: 'Removing', since: at(0) });
export const unconfirmed = entry('a', {
  state: 'Unconfirmed',
  since: at(0),
  nextAttemptTime: at(SETTLE_MS),
});
export const givenUp: InventoryEntry = {
  ...unconfirmed,
  attempts: 1,
  nextAttemptTime: at(12 * MINUTE),
};
export const refused: InventoryEntry = {
  ...e('a'),
  state: 'Refused',
  attempts: 1,
  lastError: { httpStatus: 400, message: 'no' },
  nextAttemptTime: at(10 * MINUTE),
};
export const refusedRemoval = entry('a', {
  attempts: 1,
  lastError: { httpStatus: 400, message: 'no' },
  nextAttemptTime: at(10 * MINUTE),
});

/** The same while the object is being deleted. */
export function cleanup(given: Given): Given {
  return { ...given, goal: cleanupGoal(specOf(['a']), []) };
}
