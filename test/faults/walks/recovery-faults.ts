import type { Fault } from '../../simulator/types.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The longest wait of each class, as the contract has it. */
export const CAPS: Readonly<Record<string, number>> = {
  Rejected: 6 * HOUR,
  Unauthorized: 30 * MINUTE,
  Forbidden: HOUR,
  NotFound: HOUR,
  Conflict: 2 * MINUTE,
  DependencyNotReady: 10 * MINUTE,
  RateLimited: 5 * MINUTE,
  Unavailable: 5 * MINUTE,
  OutcomeUnknown: 5 * MINUTE,
  UnexpectedResponse: 30 * MINUTE,
  NotConfirmed: 6 * HOUR,
};

/**
 * One for each way in which the product treats a status, as its verdict or an Organization goes by
 * it. That all others have the verdict of one of these is in `../../unit/api-verdict.test.ts`.
 */
const STATUSES = [
  301, 307, 400, 401, 403, 404, 405, 408, 409, 410, 418, 422, 423, 424, 429, 500, 503,
] as const;
const BODIES = [
  'text',
  'empty',
  'truncated',
  'null',
  'no-result',
  'error-with-200',
  'html',
] as const;
const TRANSPORTS = ['reset-before', 'reset-after', 'truncated'] as const;

/** Every way in which an API does not confirm a call, by its name. */
export const REFUSALS: Readonly<Record<string, Fault>> = {
  ...Object.fromEntries(STATUSES.map((status) => [`${status}`, { status }])),
  ...Object.fromEntries(BODIES.map((body) => [`200 with ${body}`, { status: 200, body }])),
  ...Object.fromEntries(TRANSPORTS.map((transport) => [transport, { transport }])),
};

/**
 * One after which nobody can tell whether a write took effect: what comes next is sent once more
 * when that is over.
 */
export function isUnknown(refusal: string): boolean {
  return !refusal.startsWith('4') || refusal === '408';
}

/** One that stands for a whole credential, so that an edit alone does not end it. */
export function isOfKey(refusal: string): boolean {
  return refusal === '401' || refusal === '429';
}
