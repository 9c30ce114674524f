import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spread, waitFor } from '../../src/backoff.ts';

const rule = { firstMs: 1_000, capMs: 300_000 };
const seeds = fc.string();

describe('waitFor', () => {
  it('doubles from the first wait to the cap, within 20 percent', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 1e9 }), (seed, attempts) => {
        const plain = Math.min(1_000 * 2 ** (attempts - 1), 300_000);
        const wait = waitFor(rule, attempts, seed);
        expect(wait).toBeGreaterThanOrEqual(Math.floor(plain * 0.8));
        expect(wait).toBeLessThanOrEqual(Math.ceil(plain * 1.2));
      }),
    );
  });

  it('is a fixed function of seed and attempts', () => {
    expect(waitFor(rule, 3, 'uid-1')).toBe(waitFor(rule, 3, 'uid-1'));
    expect(new Set(['a', 'b', 'c', 'd'].map((seed) => waitFor(rule, 3, seed))).size).toBe(4);
    expect(new Set([20, 21, 22, 23].map((attempts) => waitFor(rule, attempts, 'a'))).size).toBe(4);
  });

  it('is safe for attempts below one and beyond counting', () => {
    expect(waitFor(rule, 0, 'a')).toBeLessThanOrEqual(1_200);
    expect(waitFor(rule, 1e9, 'a')).toBeLessThanOrEqual(360_000);
    expect(waitFor(rule, Number.MAX_SAFE_INTEGER, 'a')).toBeGreaterThanOrEqual(240_000);
  });

  it('spreads seeds over the whole width', () => {
    const waits = Array.from({ length: 1_000 }, (_, n) => waitFor(rule, 1, `uid-${n}`));
    expect(Math.min(...waits)).toBeLessThan(820);
    expect(Math.max(...waits)).toBeGreaterThan(1_180);
  });
});

describe('spread', () => {
  it('is a fixed share below the limit', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 1e12 }), (seed, max) => {
        const share = spread(seed, max);
        expect(share).toBeGreaterThanOrEqual(0);
        expect(share).toBeLessThan(max);
        expect(spread(seed, max)).toBe(share);
      }),
    );
  });
});
