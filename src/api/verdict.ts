import { type Answer, hundred, type Reply } from './reply.ts';

/**
 * Why a call failed: HTTP statuses or their first digits, what is known of the effect of a write,
 * and what is said; OF is what the request is about, such as a pipe.
 */
const CLASSES = {
  Rejected: [[4], 'Rejected', 'The API refused the request'],
  Unauthorized: [[401], 'Rejected', 'The API refused the key'],
  Forbidden: [[403], 'Rejected', 'The role or the IP allow-list of the key does not permit this'],
  NotFound: [[404, 410], 'Rejected', 'OF not found'],
  Conflict: [[409, 423, 425], 'Busy', 'The OF is being changed by another operation'],
  DependencyNotReady: [[424], 'Busy', 'The service that the OF depends on is not running'],
  RateLimited: [[429], 'RateLimited', 'Rate limit reached for this API key'],
  Unavailable: [[], 'Unavailable', 'The API failed'],
  OutcomeUnknown: [[408, 5], 'Unknown', 'The API failed'],
  UnexpectedResponse: [[], 'Unknown', 'Unexpected response; the request is not confirmed'],
} as const satisfies Readonly<Record<string, readonly [readonly number[], string, string]>>;

/** The condition reason and the waits follow from it. */
export type FailureClass = keyof typeof CLASSES;

/** The API confirmed the call: HTTP 200 with a result and no error. */
export interface Success {
  readonly ok: true;
  readonly outcome: 'Succeeded';
  readonly httpStatus: number;
  readonly requestId?: string | undefined;
  readonly result: Readonly<Record<string, unknown>>;
}

/**
 * The call failed; `message` is one line, a stable function of the cause, without request id or
 * time.
 */
export interface Failure {
  readonly ok: false;
  readonly failure: FailureClass;
  readonly outcome: (typeof CLASSES)[FailureClass][1];
  readonly message: string;
  readonly httpStatus?: number | undefined;
  readonly requestId?: string | undefined;
  readonly redirect?: boolean;
  /** What the API says about it, in its own words. */
  readonly said?: string | undefined;
  /** The body is the API's own JSON: no proxy or load balancer answered in its place. */
  readonly isJson?: boolean;
  readonly retryAfterMs?: number | undefined;
}

export type Verdict = Success | Failure;

/** Judges a reply by its HTTP status alone; the API's text only explains. */
export function judge(
  reply: Reply,
  { write, of }: { readonly write: boolean; readonly of: string },
): Verdict {
  if (!reply.answered) {
    const isUnknown = write && reply.sent;
    const unknown = isUnknown ? ', so the outcome of the request is not known' : '';
    const message = `No response from the API${unknown}: ${reply.cause}`;
    return { ok: false, ...classOf('OutcomeUnknown', isUnknown), message };
  }
  const { httpStatus, requestId, result, error, defect, retryAfterMs } = reply;
  if (httpStatus === 200 && result && error === undefined)
    return { ok: true, outcome: 'Succeeded', httpStatus, requestId, result };
  const failure = classAt(httpStatus) ?? classAt(hundred(httpStatus)) ?? 'UnexpectedResponse';
  return {
    ok: false,
    ...classOf(failure, write),
    message: messageOf(reply, CLASSES[failure][2].replace('OF', of)),
    httpStatus,
    requestId,
    redirect: hundred(httpStatus) === 3,
    said: error,
    isJson: defect === undefined,
    retryAfterMs,
  };
}

function classAt(status: number): FailureClass | undefined {
  const names = Object.keys(CLASSES) as FailureClass[];
  return names.find((name) => CLASSES[name][0].some((one) => one === status));
}

/** `mayHaveDone`: it was a write that left. Nothing of a read is unknown. */
function classOf(
  failure: FailureClass,
  mayHaveDone: boolean,
): Pick<Failure, 'failure' | 'outcome'> {
  const [, outcome] = CLASSES[failure];
  if (mayHaveDone || outcome !== 'Unknown') return { failure, outcome };
  const isLost = failure === 'OutcomeUnknown';
  return { failure: isLost ? 'Unavailable' : failure, outcome: 'Unavailable' };
}

function messageOf({ httpStatus, error, defect }: Answer, says: string): string {
  const text = error === undefined ? '' : `: ${error}`;
  if (hundred(httpStatus) === 3)
    return `The API redirected the request (HTTP ${httpStatus}). Redirects are never followed, because the request carries the key; check --api-url${text}`;
  const why = defect ? `its body ${defect}` : 'only 200 with a result and no error confirms it';
  const unread = hundred(httpStatus) === 2 ? `, ${why}` : '';
  return `${says.charAt(0).toUpperCase()}${says.slice(1)} (HTTP ${httpStatus}${unread})${text}`;
}
