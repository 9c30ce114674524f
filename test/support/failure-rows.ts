import type { Fault } from '../simulator/types.ts';

type Side = 'Reconciling' | 'Stalled';

/** What the user is to see when an attempt fails for the first time. */
export interface Expected {
  readonly reason: string;
  readonly side: Side;
  /** Seconds. */
  readonly firstWait: number;
  readonly outcome?: string;
  readonly httpStatus?: number;
  readonly says: RegExp;
  /** Absent: yes where there is a status. */
  readonly requestId?: boolean;
  /** The server's wish counts as it is, without jitter. */
  readonly exact?: true;
}

export interface Row extends Expected {
  readonly name: string;
  readonly fault: Fault;
}

const MINUTE = 60;

const rejected = {
  reason: 'Rejected',
  side: 'Stalled',
  firstWait: 10 * MINUTE,
  outcome: 'Rejected',
} as const;
const missing = {
  reason: 'NotFound',
  side: 'Stalled',
  firstWait: MINUTE,
  outcome: 'Rejected',
} as const;
const busy = { reason: 'Conflict', side: 'Reconciling', firstWait: 2, outcome: 'Busy' } as const;
const unknown = {
  reason: 'OutcomeUnknown',
  side: 'Reconciling',
  firstWait: 1,
  outcome: 'Unknown',
} as const;
const odd = {
  reason: 'UnexpectedResponse',
  side: 'Reconciling',
  firstWait: 30,
  outcome: 'Unknown',
} as const;

function answered(
  httpStatus: number,
  expected: Omit<Expected, 'httpStatus' | 'says'>,
  says?: RegExp,
): Row {
  const error = `CODE_${httpStatus}: because of ${httpStatus}`;
  const fault = { status: httpStatus, error };
  return {
    name: `http-${httpStatus}`,
    fault,
    httpStatus,
    says: says ?? new RegExp(error),
    ...expected,
  };
}

function body(
  name: string,
  fault: Extract<Fault, { status: number }>,
  says: RegExp,
  requestId: boolean,
): Row {
  return { name: `body-${name}`, fault, httpStatus: fault.status, says, requestId, ...odd };
}

/**
 * HTTP reply → what the user sees. Every row gets an object, a pipe and a key of its own; all fail
 * at the same time.
 */
export const ROWS: readonly Row[] = [
  ...[400, 402, 405, 413, 422, 451, 499].map((status) => answered(status, rejected)),
  answered(401, { reason: 'Unauthorized', side: 'Stalled', firstWait: 30, outcome: 'Rejected' }),
  answered(403, { reason: 'Forbidden', side: 'Stalled', firstWait: MINUTE, outcome: 'Rejected' }),
  ...[404, 410].map((status) => answered(status, missing)),
  ...[409, 423, 425].map((status) => answered(status, busy)),
  answered(424, {
    reason: 'DependencyNotReady',
    side: 'Reconciling',
    firstWait: 30,
    outcome: 'Busy',
  }),
  answered(429, {
    reason: 'RateLimited',
    side: 'Reconciling',
    firstWait: 10,
    outcome: 'RateLimited',
  }),
  {
    ...answered(429, {
      reason: 'RateLimited',
      side: 'Reconciling',
      firstWait: 14,
      outcome: 'RateLimited',
    }),
    name: 'http-429-with-header',
    fault: { status: 429, headers: { 'x-ratelimit-reset': '14' } },
    says: /429/,
    exact: true,
  },
  ...[408, 500, 502, 503, 504, 599].map((status) => answered(status, unknown)),
  {
    ...answered(503, { ...unknown, firstWait: 13 }),
    name: 'http-503-with-header',
    fault: { status: 503, headers: { 'retry-after': '13' } },
    says: /503/,
    exact: true,
  },
  {
    ...answered(504, unknown, /504/),
    name: 'gateway-page',
    fault: { status: 504, body: 'html' },
    requestId: false,
  },
  ...[301, 302, 303, 304, 307, 308].map((status): Row => {
    const fault: Fault = { status, body: status === 304 ? 'empty' : 'envelope' };
    const requestId = status !== 304;
    return { ...answered(status, { ...odd, side: 'Stalled' }, /never followed/), fault, requestId };
  }),
  body('created', { status: 201 }, /only 200 confirms/, true),
  body('accepted', { status: 202 }, /only 200 confirms/, true),
  body('no-content', { status: 204, body: 'empty' }, /empty/, false),
  body('html', { status: 200, body: 'html' }, /not JSON/, false),
  body('text', { status: 200, body: 'text' }, /not JSON/, false),
  body('empty', { status: 200, body: 'empty' }, /empty/, false),
  body('half-a-json', { status: 200, body: 'truncated' }, /not JSON/, false),
  body('null', { status: 200, body: 'null' }, /no result/, false),
  body('wrong-types', { status: 200, body: 'wrong-type' }, /carries an error/, false),
  body('no-result', { status: 200, body: 'no-result' }, /no result/, true),
  body(
    'error-with-200',
    { status: 200, body: 'error-with-200', error: 'NO: no' },
    /carries an error.*NO: no/,
    true,
  ),
  {
    name: 'cut-off',
    fault: { transport: 'truncated' },
    httpStatus: 200,
    says: /broke off/,
    requestId: false,
    ...odd,
  },
  {
    name: 'reset-before',
    fault: { transport: 'reset-before' },
    says: /closed the connection/,
    ...unknown,
  },
  {
    name: 'reset-after',
    fault: { transport: 'reset-after' },
    says: /closed the connection/,
    ...unknown,
  },
];
