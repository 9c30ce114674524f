import fc from 'fast-check';
import { FakeClock } from '../../support/fake-clock.ts';
import { aLimiter, endOf, type Permit, permitOf } from './limiter.ts';

/** One object that makes some calls; how each ends, and how slow everything is. */
export interface Plan {
  readonly credential: string;
  readonly urgency: 'user' | 'scheduled';
  readonly mayTry: boolean;
  readonly arrivesMs: number;
  /** Of the HTTP status 0: no answer. */
  readonly calls: readonly {
    readonly status: number;
    readonly latencyMs: number;
    readonly waitMs: number;
  }[];
  readonly beginDelayMs: number;
  /** It is edited so long after it began to ask, and asks anew; 0: never. */
  readonly editedMs: number;
}

const rarely = (most: number) =>
  fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 1, max: most }));

export const plan: fc.Arbitrary<Plan> = fc.record({
  credential: fc.constantFrom('c1', 'c2', 'c3'),
  urgency: fc.constantFrom('user', 'scheduled'),
  mayTry: fc.constantFrom(true, false, false),
  arrivesMs: fc.nat({ max: 3_000 }),
  calls: fc.array(
    fc.record({
      status: fc.constantFrom(200, 200, 200, 0, 500, 429, 401, 503),
      latencyMs: fc.integer({ min: 1, max: 2_000 }),
      waitMs: rarely(20_000),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  beginDelayMs: fc.nat({ max: 200 }),
  editedMs: rarely(9_000),
});

/** A call that was made. */
export interface Made {
  readonly id: string;
  readonly credential: string;
  readonly at: number;
  endedAt: number;
  readonly status: number;
  readonly waitMs: number;
}

export const WINDOW_MS = 5_000;
export const TOTAL_WINDOW_MS = 4_000;

/** Objects that ask, wait, call, and come back, as the controller has them do it. */
export function live(
  plans: readonly Plan[],
  limits: { calls: number; total: number; inFlight: number },
) {
  const clock = new FakeClock();
  const made: Made[] = [];
  const state = { unserved: plans.length };
  const sleepers = new Map<string, () => void>();
  const limiter = aLimiter(clock, {
    rate: { calls: limits.calls, perMs: WINDOW_MS },
    rateTotal: { calls: limits.total, perMs: TOTAL_WINDOW_MS },
    inFlight: limits.inFlight,
    wake: (id) => sleepers.get(id)?.(),
  });
  const sleep = (ms: number) => new Promise<void>((resolve) => clock.at(ms, resolve));
  const sleepUntilWoken = (id: string, ms: number): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.at(ms, resolve);
      sleepers.set(id, () => {
        cancel();
        resolve();
      });
    });

  const call = async (
    id: string,
    { credential }: Plan,
    nth: Plan['calls'][number],
    permit: Permit,
  ) => {
    if (!permit.begin()) {
      permit.finish();
      await sleep(1_000);
      return false;
    }
    const { status, latencyMs, waitMs } = nth;
    const at = clock.monotonic();
    const one: Made = { id, credential, at, endedAt: Infinity, status, waitMs };
    made.push(one);
    await sleep(latencyMs);
    one.endedAt = clock.monotonic();
    permit.finish(endOf(status, waitMs));
    return true;
  };
  /** False: no call was made, and it has waited for what brings the next attempt. */
  const attempt = async (id: string, plan: Plan, nth: Plan['calls'][number], isLater: boolean) => {
    const { credential, mayTry, urgency, editedMs, beginDelayMs } = plan;
    const edited = new AbortController();
    const cancel = editedMs > 0 ? clock.at(editedMs, () => edited.abort()) : () => undefined;
    const permit = await permitOf(limiter, id, {
      credential,
      mayTry,
      urgency: isLater ? 'later' : urgency,
      unwanted: edited.signal,
    });
    cancel();
    if (typeof permit !== 'string') {
      await sleep(beginDelayMs);
      return call(id, plan, nth, permit);
    }
    await (permit === 'key-refused' ? sleepUntilWoken(id, Infinity) : sleep(1));
    return false;
  };
  const begin = async (id: string, plan: Plan): Promise<void> => {
    await sleep(plan.arrivesMs);
    for (const [nth, one] of plan.calls.entries()) {
      let isMade = false;
      while (!isMade) isMade = await attempt(id, plan, one, nth > 0);
      if (one.status === 401) await sleepUntilWoken(id, 2_000_000);
    }
    state.unserved -= 1;
  };
  for (const [nth, plan] of plans.entries()) void begin(String(nth), plan);
  return { clock, made, limiter, state };
}
