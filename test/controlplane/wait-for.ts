import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';

export interface WaitOptions<T> {
  /** What is waited for, for the message of the time-out. */
  readonly what: string;
  /** When to stop waiting; absent: when the value is truthy. */
  readonly until?: (value: T) => boolean;
  /** Absent: 30 s. */
  readonly timeoutMs?: number;
}

/**
 * A round that takes longer than this counts as this long: a test whose process got no processor
 * has not waited.
 */
const LONGEST_ROUND_MS = 1_000;

/**
 * Asks `check` until its value will do, and gives that value. A check that throws counts as not
 * yet. The error of a time-out shows the last value, or the last error.
 */
export async function waitFor<T>(
  check: () => T | Promise<T>,
  { what, until = Boolean, timeoutMs = 30_000 }: WaitOptions<T>,
): Promise<T> {
  let waited = 0;
  let longest = 0;
  for (let rounds = 1; ; rounds += 1) {
    const started = performance.now();
    const seen = await attempt(check);
    if ('value' in seen && until(seen.value)) return seen.value;
    if (waited > timeoutMs) {
      const last =
        'value' in seen ? inspect(seen.value, { depth: 8, breakLength: 160 }) : seen.error;
      const how = `${rounds} looks, the longest took ${Math.round(longest)} ms`;
      throw new Error(`Waited ${timeoutMs} ms in vain for ${what} (${how}). Seen last: ${last}`);
    }
    await pause(50);
    const took = performance.now() - started;
    longest = Math.max(longest, took);
    waited += Math.min(took, LONGEST_ROUND_MS);
  }
}

async function attempt<T>(check: () => T | Promise<T>): Promise<{ value: T } | { error: string }> {
  try {
    return { value: await check() };
  } catch (error) {
    return { error: String(error) };
  }
}
