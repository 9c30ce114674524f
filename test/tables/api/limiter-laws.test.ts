import fc from 'fast-check';
import { expect, test } from 'vitest';
import { live, type Made, plan, TOTAL_WINDOW_MS, WINDOW_MS } from './limiter-life.ts';

const HOUR = 3_600_000;
const limits = fc.record({
  calls: fc.nat({ max: 4 }),
  total: fc.nat({ max: 4 }),
  inFlight: fc.integer({ min: 1, max: 4 }),
});

/** The most calls that count at one moment, where each does until so long after its end. */
function mostTogether(made: readonly Made[], lastsMs: number): number {
  const at = (moment: number): number =>
    made.filter((one) => one.at <= moment && moment < one.endedAt + lastsMs).length;
  return Math.max(0, ...made.map((one) => at(one.at)));
}

/** The least time for which an end holds the key back. */
function pauseAfter({ status, waitMs }: Made): number {
  if (status === 429) return Math.max(8_000, waitMs);
  return status === 503 ? waitMs : 0;
}

/** Calls that began beside another one while the last word of the API was 401. */
function triesBeside(made: readonly Made[]): Made[] {
  return made.filter((call) => {
    const answers = made
      .filter(({ status, endedAt }) => status !== 0 && endedAt < call.at)
      .toSorted((a, b) => a.endedAt - b.endedAt);
    const firstOf401 = answers.findLastIndex(({ status }) => status !== 401) + 1;
    const refusedAt = answers[firstOf401]?.endedAt ?? Number.POSITIVE_INFINITY;
    const isOpen = (one: Made): boolean => one.at <= call.at && call.at < one.endedAt;
    return made.some((other) => other !== call && isOpen(other) && other.at > refusedAt);
  });
}

test('whatever comes about, every bound holds, and everyone is served', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: 1, maxLength: 15 }),
      limits,
      async (plans, bounds) => {
        const { clock, made, limiter, state } = live(plans, bounds);
        for (let hours = 0; state.unserved > 0 && hours < 48; hours += 1) await clock.advance(HOUR);
        expect(state.unserved).toBe(0);
        expect(mostTogether(made, TOTAL_WINDOW_MS)).toBeLessThanOrEqual(bounds.total || Infinity);
        for (const ofKey of Map.groupBy(made, ({ credential }) => credential).values()) {
          expect(mostTogether(ofKey, WINDOW_MS)).toBeLessThanOrEqual(bounds.calls || Infinity);
          expect(mostTogether(ofKey, 0)).toBeLessThanOrEqual(bounds.inFlight);
          for (const one of ofKey) {
            const until = one.endedAt + pauseAfter(one);
            expect(ofKey.filter(({ at }) => at > one.endedAt && at < until)).toEqual([]);
          }
          expect(triesBeside(ofKey)).toEqual([]);
        }
        expect(limiter.snapshot()).toMatchObject({ waiting: 0 });
        await clock.advance(HOUR);
        expect(clock.pending).toBe(0);
      },
    ),
    { numRuns: 150 },
  );
});
