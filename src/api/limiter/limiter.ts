import type { Clock } from '../../clock.ts';

/** User changes go first; scheduled work gets at least one of every five grants while it waits. */
export type Lane = 'user' | 'scheduled';

/** A key that wants to make one call. */
export interface CallWish {
  /** `Credential.id`. */
  readonly credential: string;
  readonly key: string;
  /** At most one call in flight for it, over all credentials. */
  readonly target: string;
  readonly lane: Lane;
  /**
   * The call goes on with what an earlier one has begun: it stands in line before all that are yet
   * to begin.
   */
  readonly goesOn?: boolean;
  /**
   * This key's own attempt is due (back-off over, or the user asks): it may probe a gated
   * credential.
   */
  readonly probe?: boolean;
}

/** What the limiter needs to know of a finished call; a `Reply` fits. */
export interface CallEnd {
  readonly answered: boolean;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number;
}

/**
 * Leave to make one call. `finish` must be called in any case, also when `begin` said no or was
 * never asked.
 */
export interface Permit {
  /**
   * Asked right before the first byte leaves; false: the credential was paused or gated meanwhile,
   * do not call, the key waits again.
   */
  begin(): boolean;
  /**
   * Gives the slot back. `end` absent: no call was made. `pausedUntil`: monotonic ms, when this end
   * paused the credential.
   */
  finish(end?: CallEnd): { readonly pausedUntil?: number };
}

/**
 * `reserved`: the key has a slot, which it keeps until the end of the next pass in which it does
 * not ask.
 */
export type ReserveAnswer =
  | { readonly reserved: true }
  | { readonly wait: true }
  | { readonly circuitOpen: true };

/** `wait`: the key is in line and will be woken; `gated`: the credential was answered with 401. */
export type StartAnswer =
  | { readonly start: Permit }
  | { readonly wait: true }
  | { readonly circuitOpen: true };

export interface RateLimiterOptions {
  /** At most `calls` starts in any `perMs`; 0 calls: unlimited. */
  readonly rate: { readonly calls: number; readonly perMs: number };
  /** Calls in flight per credential. */
  readonly inFlight: number;
  readonly clock: Clock;
  /**
   * A slot is reserved for this key: run its pass. Called once per reserved slot, never from inside
   * `tryStart` for the asking key.
   */
  readonly wake: (key: string, lane: Lane) => void;
  /** Told how long a started call stood in line. */
  readonly onWait?: (seconds: number) => void;
}

export interface RateLimiterSnapshot {
  readonly credentials: number;
  readonly paused: number;
  readonly gated: number;
  readonly waiting: number;
  readonly inFlight: number;
}

/**
 * Decides when which key may call: rate, calls in flight, one per target, pauses after 429, the
 * breaker after 401.
 */
export interface RateLimiter {
  tryStart(wish: CallWish): StartAnswer;
  /**
   * Asks for the slot of a call that the next pass will make, because something has to be written
   * before it.
   */
  reserve(wish: CallWish): ReserveAnswer;
  /**
   * A slot is reserved for this key, and not just to probe: what it waited for, be it the breaker, is
   * over.
   */
  hasSlot(key: string): boolean;
  /**
   * At the end of every pass: a key that did not ask in it loses its place and a slot reserved for
   * it. So ask in every pass that wants to call, also behind a closed breaker (`probe` false while the
   * own back-off is not over), or be passed over.
   */
  release(key: string): void;
  /** The object is gone: as if the key had never asked. */
  forget(key: string): void;
  /**
   * Another process may have called since they asked: places in line and slots count no more, and
   * whoever had one is woken to ask anew; a refused key is probed at once.
   */
  startOver(): void;
  /**
   * A Secret with this credential has been written anew: where it was refused, it is probed at
   * once.
   */
  renew(credential: string): void;
  snapshot(): RateLimiterSnapshot;
  /** Stops the timers; nobody is woken any more. */
  close(): void;
}
