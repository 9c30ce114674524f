import type { Reply } from './replies.ts';
import type { Rate, Time } from './types.ts';

/** A sliding window for each key: no stretch of `perMs` holds more than `calls`. */
export function createLimits(time: Time) {
  let rate: Rate | undefined;
  const windows = new Map<string, number[]>();
  return {
    set: (next: Rate | undefined): void => {
      rate = next;
      windows.clear();
    },
    /** Why the next call of a key is one too many; undefined where it is not. */
    refuse: (keyId: string): Reply | undefined => {
      if (!rate) return undefined;
      const { perMs, calls, header = 'reset-seconds' } = rate;
      const now = time.passed();
      const taken = (windows.get(keyId) ?? []).filter((at) => at > now - perMs);
      windows.set(keyId, taken);
      const [oldest] = taken;
      if (oldest === undefined || taken.length < calls) return undefined;
      // Never early: seconds are rounded up.
      const seconds = Math.ceil((oldest + perMs - now) / 1000);
      const headers = {
        'reset-seconds': { 'x-ratelimit-reset': String(seconds) },
        'retry-after': { 'retry-after': String(seconds) },
      }[header];
      return { status: 429, text: '{"error":"TOO_MANY_REQUESTS"}', headers };
    },
    count: (keyId: string): void => {
      if (rate) windows.set(keyId, [...(windows.get(keyId) ?? []), time.passed()]);
    },
  };
}
