import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Permit, RateLimiter } from '../../src/api/limiter/contract.ts';
import { createRateLimiter } from '../../src/api/limiter/rate-limiter.ts';
import type { Lane } from '../../src/waiting-queue.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** One object that wants some calls: how each ends, and how slow everything is. */
interface Plan {
  readonly credential: string;
  readonly tenant: string;
  readonly isProven: boolean;
  readonly target: string;
  readonly lane: Lane;
  readonly arrivesMs: number;
  readonly calls: readonly {
    readonly status: number;
    readonly latencyMs: number;
    readonly waitMs?: number | undefined;
  }[];
  readonly passDelayMs: number;
  readonly beginDelayMs: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  credential: fc.constantFrom('c1', 'c2', 'c3'),
  tenant: fc.constantFrom('one', 'two'),
  isProven: fc.boolean(),
  target: fc.constantFrom('t1', 't2', 't3', 't4', 't5', 't6', 't7', 't8', 't9'),
  lane: fc.constantFrom<Lane>('user', 'scheduled'),
  arrivesMs: fc.nat({ max: 3_000 }),
  calls: fc.array(
    fc.record({
      status: fc.constantFrom(200, 200, 200, 0, 500, 429, 401, 503),
      latencyMs: fc.integer({ min: 1, max: 2_000 }),
      waitMs: fc.option(fc.nat({ max: 20_000 }), { nil: undefined }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  passDelayMs: fc.nat({ max: 50 }),
  beginDelayMs: fc.nat({ max: 200 }),
});

interface Started {
  readonly credential: string;
  readonly target: string;
  readonly at: number;
  endedAt: number;
  status: number;
  waitMs: number;
}

/**
 * A small engine: one pass per key at a time, woken or by its own times, as the controller does it.
 */
class Engine {
  readonly clock = new FakeClock();
  readonly started: Started[] = [];
  readonly limiter: RateLimiter;
  wakes = 0;
  /** Each time a key was left waiting, in the queue or behind the open breaker. */
  insertions = 0;
  unserved: number;
  readonly #plans: readonly Plan[];
  readonly #done: number[];
  readonly #running = new Set<number>();
  readonly #again = new Set<number>();
  readonly #probeAt: number[];

  constructor(plans: readonly Plan[], limits: { calls: number; total?: number; inFlight: number }) {
    this.#plans = plans;
    this.#done = plans.map(() => 0);
    this.#probeAt = plans.map(() => Number.POSITIVE_INFINITY);
    this.unserved = plans.length;
    this.limiter = createRateLimiter({
      rate: { calls: limits.calls, perMs: 5_000 },
      rateTotal: { calls: limits.total ?? 0, perMs: 4_000 },
      inFlight: limits.inFlight,
      clock: this.clock,
      wake: (key) => {
        this.wakes++;
        this.#schedule(Number(key), this.#plans[Number(key)]?.passDelayMs ?? 0);
      },
    });
    plans.forEach(({ arrivesMs }, id) => this.#schedule(id, arrivesMs));
  }

  #schedule(id: number, delayMs: number): void {
    this.clock.at(delayMs, () => this.#pass(id));
  }

  #pass(id: number): void {
    if (this.#running.has(id)) {
      this.#again.add(id);
      return;
    }
    const own = this.#plans[id];
    const next = own?.calls[this.#done[id] ?? 0];
    if (!own || !next) {
      this.limiter.release(String(id));
      return;
    }
    const probe = this.clock.monotonic() >= (this.#probeAt[id] ?? 0);
    const answer = this.limiter.tryStart({ ...own, key: String(id), probe });
    if ('start' in answer) {
      this.#running.add(id);
      this.clock.at(own.beginDelayMs, () => this.#call(id, own, answer.start));
      return;
    }
    this.insertions++;
    this.limiter.release(String(id));
  }

  #call(id: number, { credential, target, calls }: Plan, permit: Permit): void {
    const {
      status,
      latencyMs,
      waitMs = 0,
    } = calls[this.#done[id] ?? 0] ?? { status: 200, latencyMs: 0 };
    if (!permit.begin()) {
      this.insertions++;
      this.#end(id);
      return;
    }
    const entry: Started = {
      credential,
      target,
      at: this.clock.monotonic(),
      endedAt: Number.POSITIVE_INFINITY,
      status,
      waitMs,
    };
    this.started.push(entry);
    this.clock.at(latencyMs, () => {
      entry.endedAt = this.clock.monotonic();
      permit.finish({
        answered: status !== 0,
        ...(status !== 0 && { httpStatus: status }),
        retryAfterMs: waitMs,
      });
      this.#done[id] = (this.#done[id] ?? 0) + 1;
      if (this.#done[id] === calls.length) this.unserved--;
      this.#probeAt[id] =
        status === 401 ? this.clock.monotonic() + 30_000 : Number.POSITIVE_INFINITY;
      if (status === 401) this.insertions++;
      this.#schedule(id, status === 401 ? 30_000 : 1_000);
      this.#end(id);
    });
  }

  #end(id: number): void {
    this.limiter.release(String(id));
    this.#running.delete(id);
    if (this.#again.delete(id)) this.#schedule(id, 0);
  }
}

function overlaps(calls: readonly Started[], at: number): number {
  return calls.filter((call) => call.at <= at && at < call.endedAt).length;
}

/** The most calls that start within any stretch of time. */
function mostWithin(calls: readonly Started[], ms: number): number {
  const after = ({ at }: Started): number =>
    calls.filter((other) => other.at >= at && other.at < at + ms).length;
  return Math.max(0, ...calls.map(after));
}

function byKey(calls: readonly Started[], key: 'credential' | 'target'): Started[][] {
  return [...Map.groupBy(calls, (call) => call[key]).values()];
}

/** The least time for which an end holds the credential back. */
function pauseAfter({ status, waitMs }: Started): number {
  if (status === 429) return Math.max(8_000, waitMs);
  return status === 503 ? waitMs : 0;
}

it('keeps every law for any mix of objects, delays and answers, and serves everyone', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plan, { minLength: 1, maxLength: 25 }),
      fc.record({
        calls: fc.nat({ max: 4 }),
        total: fc.nat({ max: 4 }),
        inFlight: fc.integer({ min: 1, max: 4 }),
      }),
      async (plans, limits) => {
        const engine = new Engine(plans, limits);
        for (let hours = 0; engine.unserved > 0 && hours < 48; hours++)
          await engine.clock.advance(3_600_000);

        expect(engine.unserved).toBe(0);
        expect(engine.wakes).toBeLessThanOrEqual(engine.insertions + engine.started.length);
        expect(mostWithin(engine.started, 4_000)).toBeLessThanOrEqual(
          limits.total || Number.POSITIVE_INFINITY,
        );
        for (const calls of byKey(engine.started, 'target')) {
          for (const { at } of calls) expect(overlaps(calls, at)).toBeLessThanOrEqual(1);
        }
        for (const calls of byKey(engine.started, 'credential')) {
          expect(mostWithin(calls, 5_000)).toBeLessThanOrEqual(
            limits.calls || Number.POSITIVE_INFINITY,
          );
          for (const call of calls) {
            expect(overlaps(calls, call.at)).toBeLessThanOrEqual(limits.inFlight);
            const pauseEnd = call.endedAt + pauseAfter(call);
            expect(calls.filter(({ at }) => at > call.endedAt && at < pauseEnd)).toEqual([]);
          }
        }
        await engine.clock.advance(0);
        expect(engine.limiter.snapshot()).toMatchObject({ inFlight: 0 });
        engine.limiter.close();
        expect(engine.clock.pending).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
}, 60_000);

it('has no two calls with a refused key at once, until one of them works', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 15 }), async (plans) => {
      const refused = plans.map((one) => ({
        ...one,
        credential: 'c1',
        calls: one.calls.map((call) => ({ ...call, status: 401 })),
      }));
      const engine = new Engine(refused, { calls: 0, inFlight: 4 });
      await engine.clock.advance(6 * 3_600_000);
      const firstRefusal = Math.min(...engine.started.map(({ endedAt }) => endedAt));
      const probes = engine.started.filter(({ at }) => at > firstRefusal);
      for (const { at } of probes) expect(overlaps(probes, at)).toBeLessThanOrEqual(1);
      expect(engine.wakes).toBeLessThanOrEqual(engine.insertions + engine.started.length);
      engine.limiter.close();
    }),
    { numRuns: 100 },
  );
}, 60_000);

it('serves 1,000 waiting keys with one wake-up each, none of the scheduled ones last of all', async () => {
  const calls = [{ status: 200, latencyMs: 20 }];
  const plans = Array.from({ length: 1_000 }, (_, id): Plan => {
    const lane = id % 2 === 0 ? 'scheduled' : 'user';
    return {
      credential: 'c1',
      tenant: 'one',
      isProven: true,
      target: `t${id}`,
      lane,
      arrivesMs: 0,
      calls,
      passDelayMs: 0,
      beginDelayMs: 0,
    };
  });
  const engine = new Engine(plans, { calls: 10, inFlight: 4 });
  await engine.clock.advance(520_000);
  expect(engine.unserved).toBe(0);
  expect(engine.wakes).toBe(996);
  const scheduled = engine.started
    .slice(0, 500)
    .filter(({ target }) => Number(target.slice(1)) % 2 === 0);
  expect(scheduled.length).toBeGreaterThanOrEqual(100);
});
