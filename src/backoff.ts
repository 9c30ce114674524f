import { hash } from 'node:crypto';

/** First wait and longest wait of a class of failures, in milliseconds. */
export interface BackOff {
  readonly firstMs: number;
  readonly capMs: number;
}

const JITTER = 0.2;

/** A fixed number in [0, 1) for a text. */
function fraction(seed: string): number {
  return hash('sha256', seed, 'buffer').readUInt32BE(0) / 2 ** 32;
}

/**
 * Milliseconds before the next attempt: doubles with `attempts` (1 is the first failure), capped,
 * then ±20 % by a fixed function of seed and attempts.
 */
export function waitFor({ firstMs, capMs }: BackOff, attempts: number, seed: string): number {
  const doublings = Math.min(Math.max(Math.floor(attempts) - 1, 0), 60);
  const wait = Math.min(firstMs * 2 ** doublings, capMs);
  return Math.round(wait * (1 - JITTER + 2 * JITTER * fraction(`${seed}/${attempts}`)));
}

/** The longest that `waitFor` gives for a class, in milliseconds. */
export function longestOf({ capMs }: BackOff): number {
  return capMs * (1 + JITTER);
}

/**
 * A fixed share of `maxMs` for a seed, so that schedules set at one moment do not come due
 * together.
 */
export function spread(seed: string, maxMs: number): number {
  return Math.floor(fraction(`${seed}/spread`) * maxMs);
}
