import type { Reply } from './replies.ts';
import { realTime, type Time } from './time.ts';
import type { Rate, RateHeader } from './types.ts';

export interface Limits {
  set(rate: Rate | undefined): void;
  /** Why the next call of a key is one too many; undefined when it is not. */
  refuse(keyId: string): Reply | undefined;
  /** Counts one call of a key. */
  count(keyId: string): void;
}

/** A sliding window per key: no stretch of `perMs` holds more than `calls`. */
export function createLimits(initial: Rate | undefined, time: Time = realTime): Limits {
  let rate = initial;
  const windows = new Map<string, number[]>();

  function refuse(keyId: string): Reply | undefined {
    const taken = windows.get(keyId);
    if (rate === undefined || taken === undefined) return undefined;
    const now = time.passed();
    let oldest = taken[0];
    while (oldest !== undefined && oldest <= now - rate.perMs) {
      taken.shift();
      oldest = taken[0];
    }
    if (oldest === undefined || taken.length < rate.calls) return undefined;
    const waitMs = oldest + rate.perMs - now;
    return {
      status: 429,
      text: '{"error":"TOO_MANY_REQUESTS"}',
      headers: waitHeader(rate.header ?? 'reset-seconds', waitMs, time.now()),
    };
  }

  function count(keyId: string): void {
    if (rate === undefined) return;
    const taken = windows.get(keyId) ?? [];
    windows.set(keyId, taken);
    taken.push(time.passed());
  }

  return {
    set: (next) => {
      rate = next;
      windows.clear();
    },
    refuse,
    count,
  };
}

/** Headers are never early: what is counted in seconds is rounded up. */
function waitHeader(kind: RateHeader, waitMs: number, now: number): Record<string, string> {
  const at = now + waitMs;
  switch (kind) {
    case 'reset-seconds':
      return { 'x-ratelimit-reset': String(Math.ceil(waitMs / 1000)) };
    case 'reset-epoch':
      return { 'x-ratelimit-reset': String(Math.ceil(at / 1000)) };
    case 'reset-epoch-ms':
      return { 'x-ratelimit-reset': String(Math.ceil(at)) };
    case 'retry-after':
      return { 'retry-after': String(Math.ceil(waitMs / 1000)) };
    case 'retry-after-date':
      return { 'retry-after': new Date(Math.ceil(at / 1000) * 1000).toUTCString() };
    case 'none':
      return {};
  }
}
