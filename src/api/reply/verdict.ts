import type { Answer, BodyState, NoAnswer, Reply } from './reply.ts';

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
export type RequestOutcome =
  | 'Succeeded'
  | 'Rejected'
  | 'RateLimited'
  | 'Busy'
  | 'Unavailable'
  | 'Unknown';

/** The API confirmed the call: HTTP 200 with a result and no error. */
export interface Success {
  readonly ok: true;
  readonly outcome: 'Succeeded';
  readonly httpStatus: number;
  readonly requestId?: string;
  readonly result: Readonly<Record<string, unknown>>;
}

/**
 * The call failed; `message` is one line, a stable function of the cause, without request id or
 * time.
 */
export interface Failure {
  readonly ok: false;
  readonly failure: FailureClass;
  readonly outcome: Exclude<RequestOutcome, 'Succeeded'>;
  readonly redirect?: true;
  readonly httpStatus?: number;
  readonly requestId?: string;
  readonly message: string;
  /** What the API says about it, in its own words. */
  readonly said?: string;
  /** The body is the API's own JSON: no proxy or load balancer answered in its place. */
  readonly isJson?: true;
  readonly retryAfterMs?: number;
}

export type Verdict = Success | Failure;

/** Judges a reply by its HTTP status alone; the API's text only explains. */
export function judge(
  reply: Reply,
  operation: { readonly write: boolean; readonly of: string },
): Verdict {
  if (!reply.answered) return judgeNoAnswer(reply, operation.write);
  const { httpStatus, result } = reply;
  const unread = httpStatus >= 200 && httpStatus <= 299 ? defect(reply) : undefined;
  if (result && httpStatus === 200 && unread === undefined) {
    return { ok: true, outcome: 'Succeeded', httpStatus, ...requestIdOf(reply), result };
  }
  const rule = ruleFor(httpStatus);
  return {
    ok: false,
    failure: failureOf(rule, operation.write),
    outcome: rule.outcome === 'Unknown' && !operation.write ? 'Unavailable' : rule.outcome,
    ...(httpStatus >= 300 && httpStatus <= 399 && { redirect: true as const }),
    httpStatus,
    ...requestIdOf(reply),
    message: plainSentence(reply, { rule, of: operation.of, unread }),
    ...(reply.error !== undefined && { said: reply.error }),
    ...(reply.body === 'json' && { isJson: true as const }),
    ...(reply.retryAfterMs !== undefined &&
      SPEAKS_OF_LOAD.has(httpStatus) && { retryAfterMs: reply.retryAfterMs }),
  };
}

/** Where Retry-After is heeded: elsewhere it speaks of something else, such as a redirect. */
const SPEAKS_OF_LOAD: ReadonlySet<number> = new Set([429, 503]);

interface Rule {
  /** `Server`: Unavailable for a read, OutcomeUnknown for a write. */
  readonly failure: FailureClass | 'Server';
  readonly outcome: Exclude<RequestOutcome, 'Succeeded'>;
  /** `of`: what the request is about, such as a pipe. */
  readonly says: (of: string) => string;
}

const SERVER: Rule = { failure: 'Server', outcome: 'Unknown', says: () => 'The API failed' };
const REJECTED: Rule = {
  failure: 'Rejected',
  outcome: 'Rejected',
  says: () => 'The API refused the request',
};
const MISSING: Rule = {
  failure: 'NotFound',
  outcome: 'Rejected',
  says: (of) => `${of.charAt(0).toUpperCase()}${of.slice(1)} not found`,
};
const BUSY: Rule = {
  failure: 'Conflict',
  outcome: 'Busy',
  says: (of) => `The ${of} is being changed by another operation`,
};
const UNEXPECTED: Rule = {
  failure: 'UnexpectedResponse',
  outcome: 'Unknown',
  says: () => 'Unexpected response; the request is not confirmed',
};

const RULES: ReadonlyMap<number, Rule> = new Map<number, Rule>([
  [401, { failure: 'Unauthorized', outcome: 'Rejected', says: () => 'The API refused the key' }],
  [
    403,
    {
      failure: 'Forbidden',
      outcome: 'Rejected',
      says: () => 'The role or the IP allow-list of the key does not permit this request',
    },
  ],
  [404, MISSING],
  [408, SERVER],
  [409, BUSY],
  [410, MISSING],
  [423, BUSY],
  [
    424,
    {
      failure: 'DependencyNotReady',
      outcome: 'Busy',
      says: (of) => `The service that the ${of} depends on is not running`,
    },
  ],
  [425, BUSY],
  [
    429,
    {
      failure: 'RateLimited',
      outcome: 'RateLimited',
      says: () => 'Rate limit reached for this API key',
    },
  ],
]);

function ruleFor(httpStatus: number): Rule {
  const exact = RULES.get(httpStatus);
  if (exact) return exact;
  if (httpStatus >= 500 && httpStatus <= 599) return SERVER;
  if (httpStatus >= 400 && httpStatus <= 499) return REJECTED;
  return UNEXPECTED;
}

function failureOf({ failure }: Rule, write: boolean): FailureClass {
  if (failure !== 'Server') return failure;
  return write ? 'OutcomeUnknown' : 'Unavailable';
}

function judgeNoAnswer({ sent, cause }: NoAnswer, write: boolean): Failure {
  const unknown = sent && write;
  return {
    ok: false,
    failure: unknown ? 'OutcomeUnknown' : 'Unavailable',
    outcome: unknown ? 'Unknown' : 'Unavailable',
    message: unknown
      ? `No response from the API, so the outcome of the request is not known: ${cause}`
      : `No response from the API: ${cause}`,
  };
}

/** What keeps a 2xx from being a confirmation. */
function defect({ httpStatus, body, error, oddError, result }: Answer): string | undefined {
  if (body !== 'json') return BODY_DEFECTS[body];
  if (error !== undefined || oddError) return 'its body carries an error';
  if (!result) return 'its body has no result';
  return httpStatus === 200 ? undefined : 'only 200 confirms a request';
}

const BODY_DEFECTS = {
  'not-json': 'its body is not JSON',
  empty: 'its body is empty',
  truncated: 'its body broke off',
  'too-large': 'its body is larger than 1 MiB',
} as const satisfies Record<Exclude<BodyState, 'json'>, string>;

function plainSentence(
  { httpStatus, error, redirectHost }: Answer,
  {
    rule,
    of,
    unread,
  }: { readonly rule: Rule; readonly of: string; readonly unread: string | undefined },
): string {
  const text = error === undefined ? '' : `: ${error}`;
  if (httpStatus >= 300 && httpStatus <= 399) {
    const target = redirectHost === undefined ? 'elsewhere' : `to ${redirectHost}`;
    return `The API redirected ${target} (HTTP ${httpStatus}). Redirects are never followed, because the request carries the key; check --api-url${text}`;
  }
  return `${rule.says(of)} (HTTP ${httpStatus}${unread === undefined ? '' : `, ${unread}`})${text}`;
}

function requestIdOf({ requestId }: Answer): { readonly requestId?: string } {
  return requestId === undefined ? {} : { requestId };
}
