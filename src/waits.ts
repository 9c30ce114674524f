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
 * every class has a next attempt. The rate limiter pauses a key as `RateLimited` says, and its
 * circuit breaker lets a trial call through as `Unauthorized` says.
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

/**
 * While the circuit breaker of a key is open, one object at a time makes a trial call. Those that
 * were refused themselves have a time for it; all others come this many times later, so that, with
 * every jitter, one that was refused is first.
 */
export const BREAKER_TURN = 1.5;

/** After a call that was called off before it left, where no change brings the next reconcile. */
export const CALLED_OFF_MS = SECOND;

/** Who waits longer for its permit says so in its status. */
export const LONG_WAIT_MS = 30 * SECOND;
/** A Secret that does not exist is taken for a late one while its object is younger than this. */
export const NEW_OBJECT_MS = 2 * MINUTE;

// Several objects for one target.

/** How long after the end of `--api-timeout` a write may still be at work at the API. */
export const AT_WORK_AFTER_TIMEOUT_MS = MINUTE;
/** How long the younger of two objects that appear together lets the older go first. */
export const COURTESY_MS = 10 * SECOND;
/** A target conflict is taken for a rename in Git for this long. */
export const CONFLICT_GRACE_MS = 5 * MINUTE;
/** How long key, Secret, spec or target may be of no use before the proof ends. */
export const PROOF_OUTLASTS_MS = 24 * HOUR;

// Activity.

/** A record that is not there is taken for a late one while its object is younger than this. */
export const LATE_RECORD_MS = 10 * MINUTE;
/** Asked for sooner than what somebody has misspelt for good. */
export const LATE_RECORD_WAITS: BackOff = { firstMs: 5 * SECOND, capMs: HOUR };

// Organization: `kinds/organization/README.md` draws the attempt that these belong to. A look is a
// request that changes nothing and shows the list of endpoints.

/** What a look showed this long ago is looked at once more before a change is decided. */
export const FRESH_LOOK_MS = MINUTE;
/** So long the declared name serves as the look where the API refuses any other. */
export const LOOK_BY_NAME_MS = HOUR;
/** An intent leaves at most this long after it was written. */
export const FRESH_INTENT_MS = 5 * SECOND;
/** So far apart, two looks without a list may say that it is empty. */
export const TWO_LOOKS_MS = MINUTE;
/** A second look at what one look missed comes this much later. */
export const SECOND_LOOK_MS = MINUTE;
/**
 * An endpoint that one look did not show and a later one does is still taken for the same one,
 * where the second look came this soon after the first.
 */
export const SAME_AGAIN_MS = 2 * MINUTE;
/** The second look at what is open comes this long after the first. */
export const SECOND_LOOK_AT_OPEN_MS = 10 * SECOND;
/**
 * An endpoint that is listed this soon after an add or removal of it that had no answer is taken
 * for ours; later, somebody else may have added it.
 */
export const SURELY_OURS_MS = 5 * MINUTE;
/** What one attempt leaves untried, the next attempt tries this much later. */
export const UNTRIED_MS = MINUTE;
/** Two answers of 404 or 410 so far apart say that the organization is gone. */
export const GONE_AFTER_MS = 3 * MINUTE;
/**
 * An object that stands there longer after its finalizer was removed is there again, as after a
 * restored backup.
 */
export const FINALIZER_REMOVED_MS = MINUTE;
