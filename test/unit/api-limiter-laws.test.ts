import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Asking } from '../../src/api/limiter.ts';
import { FakeClock, settle } from '../support/fake-clock.ts';
import {
  aLimiter,
  Engine,
  type Made,
  type Plan,
  TOTAL_WINDOW_MS,
  WINDOW_MS,
} from '../support/limiter-engine.ts';

const HOUR = 3_600_000;
const rare = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined, freq: 2 });

const plan: fc.Arbitrary<Plan> = fc.record({
  credential: fc.constantFrom('c1', 'c2', 'c3'),
  urgency: fc.constantFrom('user', 'scheduled'),
  arrivesMs: fc.nat({ max: 3_000 }),
  calls: fc.array(
    fc.record({
      status: fc.constantFrom(200, 200, 200, 0, 500, 429, 401, 503),
      latencyMs: fc.integer({ min: 1, max: 2_000 }),
      waitMs: rare(fc.nat({ max: 20_000 })),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  beginDelayMs: fc.nat({ max: 200 }),
  editedMs: rare(fc.integer({ min: 1, max: 9_000 })),
});
const limits = fc.record({
  calls: fc.nat({ max: 4 }),
  total: fc.nat({ max: 4 }),
  inFlight: fc.integer({ min: 1, max: 4 }),
});

/** The most calls that start within any stretch of time. */
function mostWithin(made: readonly Made[], ms: number): number {
  const after = ({ at }: Made): number =>
    made.filter((other) => other.at >= at && other.at < at + ms).length;
  return Math.max(0, ...made.map(after));
}

const openAt = (made: readonly Made[], at: number): Made[] =>
  made.filter((call) => call.at <= at && at < call.endedAt);

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
    return openAt(made, call.at).some((other) => other !== call && other.at > refusedAt);
  });
}

test('whatever objects, delays, edits and answers: every bound holds, and everyone is served', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: 1, maxLength: 25 }),
      limits,
      async (plans, { calls, total, inFlight }) => {
        const engine = new Engine(plans, { calls, total, inFlight });
        for (let hours = 0; engine.unserved > 0 && hours < 48; hours += 1)
          await engine.clock.advance(HOUR);

        expect(engine.unserved).toBe(0);
        expect(mostWithin(engine.made, TOTAL_WINDOW_MS)).toBeLessThanOrEqual(total || Infinity);
        for (const made of Map.groupBy(engine.made, ({ credential }) => credential).values()) {
          expect(mostWithin(made, WINDOW_MS)).toBeLessThanOrEqual(calls || Infinity);
          for (const call of made) {
            expect(openAt(made, call.at).length).toBeLessThanOrEqual(inFlight);
            const pauseEnd = call.endedAt + pauseAfter(call);
            expect(made.filter(({ at }) => at > call.endedAt && at < pauseEnd)).toEqual([]);
          }
          expect(triesBeside(made)).toEqual([]);
        }
        expect(engine.limiter.snapshot()).toMatchObject({ waiting: 0 });
        await engine.clock.advance(HOUR);
        expect(engine.clock.pending).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
}, 60_000);

test('a key that stays refused is tried by one after the other, less and less often', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 15 }), async (plans) => {
      const calls = Array.from({ length: 9 }, () => ({ status: 401, latencyMs: 100 }));
      const refused = plans.map((one) => ({ ...one, credential: 'c1', calls }));
      const engine = new Engine(refused, { calls: 0, inFlight: 4 });
      await engine.clock.advance(6 * HOUR);
      const firstAt = Math.min(...engine.made.map(({ endedAt }) => endedAt));
      const tries = engine.made.filter(({ at }) => at > firstAt);
      const gaps = tries.slice(1).map(({ at }, nth) => at - (tries[nth]?.at ?? 0));
      // 1 m, 2 m, 4 m … 30 m, less 20 %.
      for (const [nth, gap] of gaps.entries())
        expect(gap).toBeGreaterThanOrEqual(Math.min(48_000 * 2 ** nth, 24 * 60_000));
      // All of them in turn, before anyone a second time.
      const round = tries.slice(0, plans.length).map(({ id }) => id);
      expect(new Set(round).size).toBe(round.length);
    }),
    { numRuns: 100 },
  );
}, 60_000);

const asking = fc.record({
  urgency: fc.constantFrom('later', 'user', 'scheduled'),
  /** After the one before. */
  afterMs: fc.nat({ max: 40_000 }),
  isWithdrawn: rare(fc.constant(true)),
  isWoken: rare(fc.constant(true)),
});

test('turns come by time of entry, what was edited a minute earlier, later calls first; who gives up holds nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(asking, { maxLength: 40 }), async (askings) => {
      const clock = new FakeClock();
      const limiter = aLimiter(clock, { inFlight: 1 });
      const served: string[] = [];
      const ask = async (
        id: string,
        urgency: (typeof askings)[number]['urgency'],
        withdrawal?: AbortSignal,
      ) => {
        const asking: Asking = {
          id,
          urgency,
          wish: async () => ({ credential: 'c1', mayTry: false }),
          onUnwanted: (end) => withdrawal?.addEventListener('abort', end),
          parked: (wait) => wait(),
          onLongWait: async () => true,
        };
        const isOver = (): boolean => withdrawal?.aborted === true;
        let permit = await limiter.permit(asking);
        // Who was woken asks again.
        while (permit === 'not-wanted' && !isOver()) permit = await limiter.permit(asking);
        if (typeof permit === 'string') return undefined;
        permit.begin();
        served.push(id);
        return permit;
      };
      const first = await ask('first', 'user');
      const withdrawn = new AbortController();
      const ranks: [string, number][] = [];
      for (const [nth, { urgency, afterMs, isWithdrawn, isWoken }] of askings.entries()) {
        await clock.advance(afterMs);
        const id = String(nth);
        void ask(id, urgency, isWithdrawn && withdrawn.signal).then((permit) => permit?.finish());
        await settle();
        if (isWoken) limiter.wake(id);
        const entered = clock.monotonic() - (urgency === 'user' ? 60_000 : 0);
        if (!isWithdrawn) ranks.push([id, urgency === 'later' ? -Infinity : entered]);
      }
      withdrawn.abort();
      await settle();
      expect(limiter.snapshot().waiting).toBe(ranks.length);
      first?.finish();
      await clock.advance(0);
      const inOrder = ranks.toSorted(([, one], [, other]) =>
        one < other ? -1 : one > other ? 1 : 0,
      );
      expect(served.slice(1)).toEqual(inOrder.map(([id]) => id));
    }),
    { numRuns: 200 },
  );
}, 60_000);
