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

/** A round counts as this long at most: a process that got no processor has not waited. */
const LONGEST_ROUND_MS = 1_000;

/**
 * Asks `check` until its value will do, and gives that value. A check that throws counts as not
 * yet. The error of a time-out shows the last value, or the last error.
 */
export async function waitFor<T>(
  check: () => T | Promise<T>,
  { what, until = Boolean, timeoutMs = 30_000 }: WaitOptions<T>,
): Promise<T> {
  let last: () => string = () => 'nothing';
  for (let waited = 0; waited <= timeoutMs; ) {
    const started = performance.now();
    try {
      const value = await check();
      if (until(value)) return value;
      last = () => inspect(value, { depth: 8, breakLength: 160 });
    } catch (error) {
      last = () => String(error);
    }
    await pause(50);
    waited += Math.min(performance.now() - started, LONGEST_ROUND_MS);
  }
  throw new Error(`Waited ${timeoutMs} ms in vain for ${what}. Seen last: ${last()}`);
}
