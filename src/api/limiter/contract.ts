import type { Clock } from '../../clock.ts';
import type { Lane } from '../../waiting-queue.ts';

/** A key that wants to make one call. */
export interface CallWish {
  /** `Credential.id`. */
  readonly credential: string;
  readonly key: string;
  /** Whose call it is: those who wait for what all credentials share take turns by it. */
  readonly tenant: string;
  /** The records say that the credential has worked; absent: they do not. */
  readonly isProven?: boolean;
  /** At most one call in flight for it, over all credentials. */
  readonly target: string;
  readonly lane: Lane;
  /** The call goes on with what an earlier one has begun: it waits ahead of all that begin anew. */
  readonly goesOn?: boolean;
  /**
   * This key's own attempt is due (back-off over, or the user asks): while the circuit breaker is
   * open it may make the trial call.
   */
  readonly probe?: boolean;
}

/** What the limiter needs to know of a finished call; a `Reply` fits. */
export interface CallEnd {
  readonly answered: boolean;
  readonly httpStatus?: number;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Leave to make one call. `finish` must be called in any case, also when `begin` said no or was
 * never asked.
 */
export interface Permit {
  /**
   * Asked right before the first byte leaves. False: do not call, because the credential was paused
   * or refused meanwhile; the key waits again.
   */
  begin(): boolean;
  /**
   * Gives the slot back. `end` absent: no call was made. `pausedUntil`: monotonic ms, when this end
   * paused the credential.
   */
  finish(end?: CallEnd): { readonly pausedUntil?: number };
}

/**
 * `wait`: the key is in the queue and will be woken. `circuitOpen`: calls with this credential are
 * held back since one was answered with 401.
 */
type NotNow = { readonly wait: true } | { readonly circuitOpen: true };
export type StartAnswer = { readonly start: Permit } | NotNow;
/**
 * `reserved`: the key keeps its slot until the end of the next reconcile in which it does not ask.
 */
export type ReserveAnswer = { readonly reserved: true } | NotNow;

interface Rate {
  readonly calls: number;
  readonly perMs: number;
}

export interface RateLimiterOptions {
  /**
   * At most `calls` starts in any `perMs`, per credential, and of all credentials together that
   * have never worked; 0 calls: unlimited.
   */
  readonly rate: Rate;
  /** The same over all calls. */
  readonly rateTotal: Rate;
  /** Calls in flight per credential. */
  readonly inFlight: number;
  readonly clock: Clock;
  /**
   * Reconcile this key. `holdsSlot`: a slot is reserved for it, so ahead of those of its tenant
   * that have none, whose number would make others wait for it; told once per reserved slot, never
   * from inside `tryStart` for the asking key. Else: to learn that it has lost its place.
   */
  readonly wake: (key: string, lane: Lane, holdsSlot: boolean) => void;
  /** Told how long a call waited before it started. */
  readonly onWait?: (seconds: number) => void;
}

export interface RateLimiterSnapshot {
  readonly credentials: number;
  readonly paused: number;
  readonly circuitOpen: number;
  readonly waiting: number;
  readonly inFlight: number;
}

/**
 * Decides when which key may call: rates, calls in flight, one per target, pauses after 429, the
 * circuit breaker after 401.
 */
export interface RateLimiter {
  tryStart(wish: CallWish): StartAnswer;
  /**
   * Asks for the slot of a call that the next reconcile will make, because something has to be
   * written before it.
   */
  reserve(wish: CallWish): ReserveAnswer;
  /**
   * A slot is reserved for this key, and not just for a trial call: what it waited for, be it the
   * breaker, is over.
   */
  hasSlot(key: string): boolean;
  /** How many calls with the same credential go before this key's, as things stand. */
  ahead(key: string): number;
  /** Monotonic ms: when calls with this credential were last paused; undefined: never. */
  pausedAt(credential: string): number | undefined;
  /**
   * At the end of every reconcile: a key that did not ask in it loses its place and a slot reserved
   * for it, and what was held back by the breaker stays so. So ask in every reconcile that wants to
   * call, also while the breaker is open (`probe` false while the own back-off is not over), or be
   * passed over.
   */
  release(key: string): void;
  /** The object is gone: as if the key had never asked. */
  forget(key: string): void;
  /**
   * A Secret with this credential has been written anew: if it was refused, it is tried at once.
   */
  renew(credential: string): void;
  snapshot(): RateLimiterSnapshot;
  /** Stops the timers; nobody is woken any more. */
  close(): void;
}
