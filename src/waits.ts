import type { BackOff } from './backoff.ts';

/**
 * How long anything about the management API is waited for: one table for the rate limiter, the
 * failures that a status shows, the locks on a target and the attempts of an Organization. All in
 * milliseconds.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** What follows a failure. */
export interface FailureRule extends BackOff {
  /** Who has to act: `Reconciling` means the operator goes on by itself. */
  readonly side: 'Reconciling' | 'Stalled';
}

/**
 * The failure table of the contract, by reason of `Ready`. Waits double from the first to the cap;
 * every class has a next attempt. The rate limiter pauses a key as `RateLimited` says, and lets a
 * refused one be tried as `Unauthorized` says.
 */
export const FAILURES = {
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
} as const satisfies Readonly<Record<string, FailureRule>>;

/**
 * An echo that differs is asked about again after these waits; when they are used up the user is
 * told to act, and the cap of `NotConfirmed` holds.
 */
export const CONFIRMATION_WAITS_MS = [10 * SECOND, MINUTE, 5 * MINUTE] as const;

/** The longest a Retry-After or a rate limit's reset may hold an attempt back. */
export const LONGEST_SERVER_WAIT_MS = 15 * MINUTE;

/** Whose turn it is to try a refused key, and who does not ask, is passed over after so long. */
export const PASSED_OVER_MS = 5 * SECOND;

/** In line, what a person edited or asked for counts as having come so much earlier. */
export const EDITED_EARLIER_MS = MINUTE;

/** A credential that nobody has used for so long is forgotten. */
export const UNUSED_KEY_MS = HOUR;

/** After a call that was called off before it left, where no change brings the next reconcile. */
export const CALLED_OFF_MS = SECOND;

/** Who waits longer for its permit says so in its status. */
export const LONG_WAIT_MS = 30 * SECOND;
/** A Secret that does not exist is taken for a late one while its object is younger than this. */
export const NEW_OBJECT_MS = 2 * MINUTE;

// Several objects for one target.

/** A target conflict is taken for a rename in Git for this long. */
export const CONFLICT_GRACE_MS = 5 * MINUTE;

// Activity.

/** A record that is not there is taken for a late one while its object is younger than this. */
export const LATE_RECORD_MS = 10 * MINUTE;
/** Asked for sooner than what somebody has misspelt for good. */
export const LATE_RECORD_WAITS: BackOff = { firstMs: 5 * SECOND, capMs: HOUR };

// What may still be carried out.

/** After `--api-timeout` a change may still be carried out for this long. */
export const SETTLE_AFTER_TIMEOUT_MS = MINUTE;
/** An endpoint that one observation missed is looked for again after this long. */
export const ENDPOINT_MISSED_AGAIN_MS = MINUTE;
/** Seen again this soon, or seen this soon after our add, it is taken for the same one. */
export const SAME_ENDPOINT_MS = 15 * MINUTE;
/** From an observation to the permit of what was decided on it. */
export const OBSERVATION_LASTS_MS = 30 * SECOND;
/** So often one attempt observes; what it decides then is sent however old it is. */
export const MOST_OBSERVATIONS = 4;
/** A change leaves at most this long after it was persisted. */
export const CHANGE_LEAVES_MS = 10 * SECOND;
/** After so many refusals in a row, with nothing accepted between, an attempt ends. */
export const MOST_REFUSALS = 3;
/** What they have left untried follows this much later. */
export const UNTRIED_MS = MINUTE;
/** The first wait of an endpoint that was refused because something is busy. */
export const BUSY_ENDPOINT_MS = MINUTE;
/** A list that every reply leaves out counts as empty after this long. */
export const LEFT_OUT_IS_EMPTY_MS = MINUTE;
/** The same where the inventory has entries that were present. */
export const LEFT_OUT_ALL_GONE_MS = 10 * MINUTE;
/** The last try of a cleanup begins this long before its deadline. */
export const LAST_TRY_MS = 30 * SECOND;
