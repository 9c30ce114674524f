import type { FailureClass } from '../../api/reply/verdict.ts';
import { waitFor } from '../../backoff.ts';

/** Reasons of `Ready` for failures that no reply of the API stands behind. */
export type LocalFailure =
  | 'NotConfirmed'
  | 'SecretNotFound'
  | 'SecretInvalid'
  | 'SecretForbidden'
  | 'SpecInvalid'
  | 'TargetConflict'
  | 'EndpointConflict'
  | 'RemovalBlocked';

export type FailureReason = FailureClass | LocalFailure;

/** A row of the table. */
export interface FailureRule {
  /** Who has to act: `Reconciling` means the operator goes on by itself. */
  readonly side: 'Reconciling' | 'Stalled';
  readonly firstMs: number;
  readonly capMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * The failure table of the contract. Waits double from the first to the cap; every class has a next
 * attempt.
 */
export const FAILURES: Readonly<Record<FailureReason, FailureRule>> = {
  Rejected: { side: 'Stalled', firstMs: 10 * MINUTE, capMs: 6 * HOUR },
  Unauthorized: { side: 'Stalled', firstMs: 30 * SECOND, capMs: 30 * MINUTE },
  Forbidden: { side: 'Stalled', firstMs: MINUTE, capMs: HOUR },
  NotFound: { side: 'Stalled', firstMs: MINUTE, capMs: HOUR },
  Conflict: { side: 'Reconciling', firstMs: 2 * SECOND, capMs: 2 * MINUTE },
  DependencyNotReady: { side: 'Reconciling', firstMs: 30 * SECOND, capMs: 10 * MINUTE },
  RateLimited: { side: 'Reconciling', firstMs: 10 * SECOND, capMs: 5 * MINUTE },
  Unavailable: { side: 'Reconciling', firstMs: SECOND, capMs: 5 * MINUTE },
  OutcomeUnknown: { side: 'Reconciling', firstMs: SECOND, capMs: 5 * MINUTE },
  UnexpectedResponse: { side: 'Reconciling', firstMs: 30 * SECOND, capMs: 30 * MINUTE },
  NotConfirmed: { side: 'Reconciling', firstMs: 10 * SECOND, capMs: 6 * HOUR },
  SecretNotFound: { side: 'Reconciling', firstMs: 5 * MINUTE, capMs: 5 * MINUTE },
  SecretInvalid: { side: 'Stalled', firstMs: HOUR, capMs: HOUR },
  SecretForbidden: { side: 'Stalled', firstMs: 5 * MINUTE, capMs: 5 * MINUTE },
  SpecInvalid: { side: 'Stalled', firstMs: HOUR, capMs: HOUR },
  TargetConflict: { side: 'Stalled', firstMs: HOUR, capMs: HOUR },
  EndpointConflict: { side: 'Stalled', firstMs: HOUR, capMs: HOUR },
  RemovalBlocked: { side: 'Stalled', firstMs: HOUR, capMs: HOUR },
};

/**
 * An echo that differs is asked about again after these waits; when they are used up the user is
 * told to act.
 */
const CONFIRMATION_WAITS = [10 * SECOND, MINUTE, 5 * MINUTE] as const;

/** A target conflict is taken for a rename in Git for this long. */
export const CONFLICT_GRACE_MS = 5 * MINUTE;

/** The longest a Retry-After or a rate limit's reset may hold an attempt back. */
const LONGEST_SERVER_WAIT = 15 * MINUTE;

/** ±20 %, as `waitFor` spreads. */
const JITTER = 1.2;

/** Whether a connection is refused or reset half-way is the same outage. */
export function sameCause(a: string, b: string): boolean {
  return causeOf(a) === causeOf(b);
}

function causeOf(reason: string): string {
  return reason === 'OutcomeUnknown' ? 'Unavailable' : reason;
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
  if (own)
    return waitFor({ ...own, capMs: Math.min(own.capMs, FAILURES[reason].capMs) }, attempts, seed);
  if (reason !== 'NotConfirmed') return waitFor(FAILURES[reason], attempts, seed);
  return (
    CONFIRMATION_WAITS[attempts - 1] ??
    waitFor({ firstMs: 6 * HOUR, capMs: 6 * HOUR }, attempts, seed)
  );
}

/** `Stalled` where the user must act, given how often it has failed in a row. */
export function sideOf(reason: FailureReason, attempts: number): 'Reconciling' | 'Stalled' {
  if (reason === 'NotConfirmed')
    return attempts > CONFIRMATION_WAITS.length ? 'Stalled' : 'Reconciling';
  return FAILURES[reason].side;
}

/** Classes whose replies may carry a wish to wait. */
const SERVER_WAITS: ReadonlySet<FailureReason> = new Set([
  'RateLimited',
  'Unavailable',
  'OutcomeUnknown',
]);

/**
 * The furthest a next attempt of this class can honestly lie ahead; one further off comes from a
 * clock that jumped.
 */
export function longestWait(reason: FailureReason): number {
  return Math.max(
    FAILURES[reason].capMs * JITTER,
    SERVER_WAITS.has(reason) ? LONGEST_SERVER_WAIT : 0,
  );
}

export function isFailure(reason: string): reason is FailureReason {
  return Object.hasOwn(FAILURES, reason);
}
