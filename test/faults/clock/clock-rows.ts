import type { Fault } from '../../simulator/types.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** ±20 %, and times in status are whole seconds. */
const longest = (capMs: number): number => capMs * 1.2 + SECOND;
/** The longest that a header may ask for, of classes that heed one. */
const AS_SERVER_ASKS = 15 * MINUTE + SECOND;

/**
 * A class of failures that goes on for as long as nothing is mended; the times are the contract's.
 */
export interface FailingRow {
  readonly name: string;
  readonly reason: string;
  /** The furthest that its next attempt may lie ahead. */
  readonly longestMs: number;
  /** How every call for its pipe ends; absent: there is no call. */
  readonly fault?: Fault;
  /** What its Secret holds; absent: a good key. Each has its own. */
  readonly secret?: 'none' | 'unusable' | 'unknown-key';
}

export const FAILING: readonly FailingRow[] = [
  { name: 'refused', reason: 'Rejected', longestMs: longest(6 * HOUR), fault: { status: 400 } },
  { name: 'forbidden', reason: 'Forbidden', longestMs: longest(HOUR), fault: { status: 403 } },
  { name: 'missing', reason: 'NotFound', longestMs: longest(HOUR), fault: { status: 404 } },
  {
    name: 'stopped',
    reason: 'DependencyNotReady',
    longestMs: longest(10 * MINUTE),
    fault: { status: 424 },
  },
  {
    name: 'odd',
    reason: 'UnexpectedResponse',
    longestMs: longest(30 * MINUTE),
    fault: { status: 200, body: 'no-result' },
  },
  {
    name: 'other-value',
    reason: 'NotConfirmed',
    longestMs: longest(6 * HOUR),
    fault: { play: { settings: { clamp: { engine_max_threads: [1, 4] } } } },
  },
  {
    name: 'asked-to-wait',
    reason: 'OutcomeUnknown',
    longestMs: AS_SERVER_ASKS,
    fault: { status: 503, headers: { 'retry-after': '15' } },
  },
  { name: 'no-secret', reason: 'SecretNotFound', longestMs: longest(5 * MINUTE), secret: 'none' },
  { name: 'odd-secret', reason: 'SecretInvalid', longestMs: longest(HOUR), secret: 'unusable' },
  {
    name: 'unknown-key',
    reason: 'Unauthorized',
    longestMs: longest(30 * MINUTE),
    secret: 'unknown-key',
  },
];
