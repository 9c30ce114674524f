import type { ApiRequest } from '../../api/http/client.ts';
import type { Failure, Success } from '../../api/reply/verdict.ts';
import type { SecretRef } from '../../kube/secrets/key-pair.ts';
import type { CredentialProblem } from './credentials.ts';
import type { Due } from './due.ts';

/** One request of a kind; the key is added when it is sent. */
export interface CallRequest extends Pick<ApiRequest, 'operation' | 'method' | 'path' | 'body'> {
  /** Changes something: decides what a lost answer means. */
  readonly write: boolean;
  /** What the path names: 'pipe', 'organization'; ends "… not found". */
  readonly of: string;
}

/** Why there is no permit. */
export type NoCall =
  | { readonly type: 'no-credential'; readonly problem: CredentialProblem }
  /** The API refused the key before, and nobody calls with it until a trial call works. */
  | { readonly type: 'key-refused' }
  /** Another attempt has the target; the object is reconciled when that one ends. */
  | { readonly type: 'target-busy' }
  | { readonly type: 'not-wanted' };

/** What came of a call. `sentAt`: epoch ms of the first byte; absent: none left. */
export type Answer =
  | { readonly type: 'success'; readonly verdict: Success; readonly sentAt: number }
  | {
      readonly type: 'failure';
      readonly verdict: Failure;
      readonly sentAt?: number | undefined;
      /** How long the key is paused for everybody, counted from the answer. */
      readonly pausedMs?: number | undefined;
      /** After a 401: what can be seen of the key without showing it. */
      readonly doubt?: string | undefined;
    }
  /** Not one byte left. */
  | { readonly type: 'called-off' };

/** The calls of one attempt. */
export interface Calls {
  /**
   * Waits for its turn, holding nothing, until `context.signal` ends it. The first one then takes
   * the target; later ones go ahead of all that wait. Undefined: granted, or in hand already.
   */
  permit(): Promise<NoCall | undefined>;
  /**
   * With a permit in hand: one call, its result masked. `isTooLate` is asked right before the first
   * byte, as is whether it is still wanted, led and not paused.
   */
  send(request: CallRequest, isTooLate?: () => boolean): Promise<Answer>;
  /** Whether the key was paused since this time (epoch ms), whatever object brought it about. */
  pausedSince(time: number): boolean;
  /** Gives back the target and an unused permit. In `finally`. */
  end(): void;
}

/** With which key an attempt calls, and how urgently. */
export interface Wish extends Pick<Extract<Due, { type: 'now' }>, 'priority' | 'halfOpen'> {
  readonly ref: SecretRef;
}
