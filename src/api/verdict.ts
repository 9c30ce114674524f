import { type Answer, hundred, type Reply } from './reply.ts';

/** Why an attempt failed, and what is known of its effect; of a read, Unknown is Unavailable. */
const OUTCOMES = {
  Rejected: 'Rejected',
  Unauthorized: 'Rejected',
  Forbidden: 'Rejected',
  NotFound: 'Rejected',
  Conflict: 'Busy',
  DependencyNotReady: 'Busy',
  RateLimited: 'RateLimited',
  Unavailable: 'Unavailable',
  OutcomeUnknown: 'Unknown',
  UnexpectedResponse: 'Unknown',
} as const;

/** The condition reason and the waits follow from it. */
export type FailureClass = keyof typeof OUTCOMES;

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
  readonly outcome: (typeof OUTCOMES)[FailureClass];
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

/** OF is what the request is about, such as a pipe. */
type Rule = readonly [failure: FailureClass, says: string];

const SERVER: Rule = ['OutcomeUnknown', 'The API failed'];
const MISSING: Rule = ['NotFound', 'OF not found'];
const BUSY: Rule = ['Conflict', 'The OF is being changed by another operation'];
const STOPPED = 'The service that the OF depends on is not running';
const FORBIDDEN = 'The role or the IP allow-list of the key does not permit this request';
const UNEXPECTED = 'Unexpected response; the request is not confirmed';

/** By HTTP status, or by its first digit. */
const RULES: Readonly<Record<number, Rule>> = {
  4: ['Rejected', 'The API refused the request'],
  401: ['Unauthorized', 'The API refused the key'],
  403: ['Forbidden', FORBIDDEN],
  404: MISSING,
  408: SERVER,
  409: BUSY,
  410: MISSING,
  423: BUSY,
  424: ['DependencyNotReady', STOPPED],
  425: BUSY,
  429: ['RateLimited', 'Rate limit reached for this API key'],
  5: SERVER,
};

/** Judges a reply by its HTTP status alone; the API's text only explains. */
export function judge(
  reply: Reply,
  { write, of }: { readonly write: boolean; readonly of: string },
): Verdict {
  if (!reply.answered) {
    const unknown = write && reply.sent ? ', so the outcome of the request is not known' : '';
    const message = `No response from the API${unknown}: ${reply.cause}`;
    return { ok: false, ...classOf('OutcomeUnknown', write && reply.sent), message };
  }
  const { httpStatus, requestId, result, error } = reply;
  if (httpStatus === 200 && result && error === undefined)
    return { ok: true, outcome: 'Succeeded', httpStatus, requestId, result };
  const rule = RULES[httpStatus] ?? RULES[hundred(httpStatus)];
  const [failure, says] = rule ?? ['UnexpectedResponse', UNEXPECTED];
  return {
    ok: false,
    ...classOf(failure, write),
    message: sentence(reply, says.replace('OF', of)),
    httpStatus,
    requestId,
    redirect: hundred(httpStatus) === 3,
    said: error,
    isJson: reply.body === 'json',
    // Elsewhere Retry-After speaks of something else, such as a redirect.
    retryAfterMs: httpStatus === 429 || httpStatus === 503 ? reply.retryAfterMs : undefined,
  };
}

/** `mayHaveDone`: it was a write that left. */
function classOf(
  failure: FailureClass,
  mayHaveDone: boolean,
): { failure: FailureClass; outcome: Failure['outcome'] } {
  const outcome = OUTCOMES[failure];
  if (mayHaveDone || outcome !== 'Unknown') return { failure, outcome };
  return {
    failure: failure === 'OutcomeUnknown' ? 'Unavailable' : failure,
    outcome: 'Unavailable',
  };
}

function sentence(reply: Answer, says: string): string {
  const { httpStatus, error, redirectHost } = reply;
  const text = error === undefined ? '' : `: ${error}`;
  if (hundred(httpStatus) === 3) {
    const target = redirectHost === undefined ? 'elsewhere' : `to ${redirectHost}`;
    return `The API redirected ${target} (HTTP ${httpStatus}). Redirects are never followed, because the request carries the key; check --api-url${text}`;
  }
  const unread = hundred(httpStatus) === 2 ? `, ${defect(reply)}` : '';
  return `${says.charAt(0).toUpperCase()}${says.slice(1)} (HTTP ${httpStatus}${unread})${text}`;
}

/** What keeps a 2xx from being a confirmation. */
function defect({ body, error, result }: Answer): string {
  if (body !== 'json') return BODY_DEFECTS[body];
  if (error !== undefined) return 'its body carries an error';
  return result ? 'only 200 confirms a request' : 'its body has no result, or an error beside it';
}

const BODY_DEFECTS = {
  'not-json': 'its body is not JSON',
  empty: 'its body is empty',
  truncated: 'its body broke off',
  'too-large': 'its body is larger than 1 MiB',
} as const;
