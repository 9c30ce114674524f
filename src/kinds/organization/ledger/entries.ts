import { cutText } from '../../../controller/conditions.ts';
import { SECOND_LOOK_MS } from '../../../waits.ts';
import { timestamp, wholeSecond } from '../../status/canonical.ts';
import { asReported, type Reported, sameKey, type Tuple, tupleOf } from '../endpoints/endpoints.ts';
import { type Goal, isListedIn, isOurs } from '../goal.ts';
import { LIMITS } from '../limits.ts';
import type { LedgerEntry } from '../resource.ts';
import type { Evidence, Line } from './ledger.ts';

export function missed(entry: LedgerEntry, now: number): LedgerEntry {
  return {
    ...bare(entry),
    state: 'Missing',
    nextAttemptTime: timestamp(wholeSecond(now + SECOND_LOOK_MS)),
  };
}

export function kept(entry: LedgerEntry, reported: Reported, goal: Goal): LedgerEntry {
  const { lastError, nextAttemptTime } = entry;
  // What is wanted again has nothing to do with a removal that was refused.
  const isFailed = lastError !== undefined && isOurs(entry) && !goal.wanted.has(sameKey(entry));
  return {
    ...bare(entry),
    ...describedBy(reported),
    ...(entry.origin === 'Found' &&
      goal.adopt &&
      isListedIn(goal, entry) && { origin: 'Adopted' as const }),
    state: 'Present',
    ...(isFailed && { lastError, nextAttemptTime }),
  };
}

/** Without what was noted of a state that is over. */
export function bare(entry: LedgerEntry): LedgerEntry {
  const { lastError: _, nextAttemptTime: __, ...rest } = entry;
  return rest;
}

export function added(tuple: Tuple, reported: Reported): LedgerEntry {
  return {
    ...asReported(reported, tuple),
    ...describedBy(reported),
    origin: 'Added',
    state: 'Present',
  };
}

/** Only what spec lists is adopted: anything else would be removed at once. */
export function found(tuple: Tuple, reported: Reported, goal: Goal): LedgerEntry {
  const origin = goal.adopt && isListedIn(goal, tuple) ? 'Adopted' : 'Found';
  return { ...asReported(reported, tuple), ...describedBy(reported), origin, state: 'Present' };
}

function describedBy({ description }: Reported): { readonly description?: string } {
  if (description === undefined || description === '') return {};
  return { description: cutText(description, LIMITS.ledgerDescription) };
}

export function isEqual(a: Reported, b: Reported): boolean {
  return a.id === b.id && a.cloudProvider === b.cloudProvider && a.region === b.region;
}

export function stillOpen(tuple: Tuple, { settlesAt }: Evidence): Line {
  const nextAttemptTime = timestamp(wholeSecond(settlesAt));
  return { entry: { ...tupleOf(tuple), origin: 'Added', state: 'Unconfirmed', nextAttemptTime } };
}
