import type { FailureClass } from '../../api/verdict.ts';
import { longestOf, waitFor } from '../../backoff.ts';
import {
  CONFIRMATION_WAITS_MS,
  FAILURES,
  type FailureRule,
  LONGEST_SERVER_WAIT_MS,
} from '../../waits.ts';

/** Reasons of `Ready` for what went wrong; behind some of them no reply of the API stands. */
export type FailureReason = FailureClass | keyof typeof FAILURES;

/** Does not compile where a class of replies has no row in the table. */
const RULES: Readonly<Record<FailureReason, FailureRule>> = FAILURES;

const OUTAGE = ['Unavailable', 'OutcomeUnknown'];

/** Whether a connection is refused or reset half-way is the same outage. */
export function sameCause(a: string | undefined, b: string): boolean {
  return a === b || [a, b].every((reason = '') => OUTAGE.includes(reason));
}

/**
 * How long until the next attempt. `attempts` is 1 at the first failure; `seed` fixes the jitter.
 * `own` is a kind's own row in place of the table's; it cannot wait longer than that one, so that
 * `longestWait` holds for every kind.
 */
export function nextWait(
  reason: FailureReason,
  attempts: number,
  seed: string,
  own?: FailureRule,
): number {
  const { firstMs, capMs } = RULES[reason];
  if (own) return waitFor({ ...own, capMs: Math.min(own.capMs, capMs) }, attempts, seed);
  if (reason !== 'NotConfirmed') return waitFor({ firstMs, capMs }, attempts, seed);
  return CONFIRMATION_WAITS_MS[attempts - 1] ?? waitFor({ firstMs: capMs, capMs }, attempts, seed);
}

/** `Stalled` where the user must act, given how often it has failed in a row. */
export function sideOf(reason: FailureReason, attempts: number): 'Reconciling' | 'Stalled' {
  if (reason === 'NotConfirmed')
    return attempts > CONFIRMATION_WAITS_MS.length ? 'Stalled' : 'Reconciling';
  return RULES[reason].side;
}

/** Classes whose replies may carry a wish to wait. */
const SERVER_WAITS: readonly FailureReason[] = ['RateLimited', 'Unavailable', 'OutcomeUnknown'];

/** The furthest ahead that a next attempt can honestly lie; else a clock has jumped. */
export function longestWait(reason: FailureReason): number {
  const own = longestOf(RULES[reason]);
  return SERVER_WAITS.includes(reason) ? Math.max(own, LONGEST_SERVER_WAIT_MS) : own;
}

export function isFailure(reason: string): reason is FailureReason {
  return Object.hasOwn(FAILURES, reason);
}
