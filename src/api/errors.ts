import type { Reply } from './reply.ts';

/** Why an attempt failed; the condition reason and the waits follow from it. */
export type FailureClass =
  | 'Rejected'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'Conflict'
  | 'DependencyNotReady'
  | 'RateLimited'
  | 'Unavailable'
  | 'OutcomeUnknown'
  | 'UnexpectedResponse';

/** What is known of the effect of an attempt: `status.lastRequest.outcome`. */
export type RequestOutcome = 'Succeeded' | 'Rejected' | 'RateLimited' | 'Busy' | 'Unavailable' | 'Unknown';

/** The API confirmed the call: HTTP 200 with a result and no error. */
export interface Success {
  readonly ok: true;
  readonly outcome: 'Succeeded';
  readonly httpStatus: number;
  readonly requestId?: string;
  readonly result: Readonly<Record<string, unknown>>;
}

/** The call failed; `message` is one line, a stable function of the cause, without request id or time. */
export interface Failure {
  readonly ok: false;
  readonly failure: FailureClass;
  readonly outcome: Exclude<RequestOutcome, 'Succeeded'>;
  readonly redirect?: true;
  readonly httpStatus?: number;
  readonly requestId?: string;
  readonly message: string;
  readonly retryAfterMs?: number;
}

export type Verdict = Success | Failure;

/** Judges a reply by its HTTP status alone; the API's text only explains. */
export declare function judge(reply: Reply, operation: { readonly write: boolean }): Verdict;
