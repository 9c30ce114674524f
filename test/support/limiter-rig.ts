import { expect } from 'vitest';
import type {
  CallWish,
  Permit,
  RateLimiter,
  RateLimiterOptions,
} from '../../src/api/limiter/contract.ts';
import { createRateLimiter } from '../../src/api/limiter/rate-limiter.ts';
import { FakeClock } from './fake-clock.ts';

export interface Rig {
  readonly clock: FakeClock;
  readonly limiter: RateLimiter;
  /** Keys woken since the last look. */
  woken(): string[];
}

export function rig(more: Partial<RateLimiterOptions> = {}): Rig {
  const clock = new FakeClock();
  let keys: string[] = [];
  const limiter = createRateLimiter({
    rate: { calls: 0, perMs: 10_000 },
    rateTotal: { calls: 0, perMs: 10_000 },
    inFlight: 4,
    clock,
    wake: (key) => keys.push(key),
    ...more,
  });
  const woken = (): string[] => {
    const seen = keys;
    keys = [];
    return seen;
  };
  return { clock, limiter, woken };
}

/** With a key that has worked, unless it is said that it has not. */
export function wish(key: string, more: Partial<CallWish> = {}): CallWish {
  const common = { credential: 'c1', tenant: 'one', isProven: true, lane: 'user' } as const;
  return { ...common, key, target: `target-${key}`, ...more };
}

/** Asks for a key that must get leave, and begins its call. */
export function begin({ limiter }: Rig, key: string, more: Partial<CallWish> = {}): Permit {
  const answer = limiter.tryStart(wish(key, more));
  if (!('start' in answer)) throw new Error(`${key} got no leave: ${JSON.stringify(answer)}`);
  expect(answer.start.begin()).toBe(true);
  return answer.start;
}

/** A whole reconcile with one call that ends with this status. */
export function call(
  on: Rig,
  key: string,
  httpStatus: number,
  more: Partial<CallWish> & { retryAfterMs?: number } = {},
): { readonly pausedUntil?: number } {
  const { retryAfterMs, ...wishes } = more;
  const paused = begin(on, key, wishes).finish({
    answered: true,
    httpStatus,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
  on.limiter.release(key);
  return paused;
}

/** A whole reconcile that only asks. */
export function ask({ limiter }: Rig, key: string, more: Partial<CallWish> = {}): string {
  const answer = limiter.tryStart(wish(key, more));
  limiter.release(key);
  if ('start' in answer) return 'start';
  return 'wait' in answer ? 'wait' : 'circuit-open';
}

export const OK = { answered: true, httpStatus: 200 } as const;
