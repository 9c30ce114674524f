import fc from 'fast-check';
import { endOf, permitOf, rig } from './limiter.ts';

/** One object that makes some calls; how each ends, and how slow everything is. */
export const plan = fc.record({
  credential: fc.constantFrom<string>('c1', 'c2', 'c3'),
  urgency: fc.constantFrom<'user' | 'scheduled'>('user', 'scheduled'),
  mayTry: fc.constantFrom(true, false, false),
  arrivesMs: fc.nat({ max: 3_000 }),
  /** Of the HTTP status 0: no answer. */
  calls: fc.array(
    fc.record({
      status: fc.constantFrom<number>(200, 200, 200, 0, 500, 429, 401, 503),
      latencyMs: fc.integer({ min: 1, max: 2_000 }),
      waitMs: fc.constantFrom<number>(0, 0, 1_000, 20_000),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  beginDelayMs: fc.nat({ max: 200 }),
});
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;

/** A call that was made. */
export interface Made extends Omit<Plan['calls'][number], 'latencyMs'> {
  readonly id: string;
  readonly credential: string;
  readonly at: number;
  endedAt: number;
}

export const WINDOW_MS = 5_000;
export const TOTAL_WINDOW_MS = 4_000;

interface Bounds {
  readonly calls: number;
  readonly total: number;
  readonly inFlight: number;
}

/** Objects that ask, wait, call, and come back, as the controller has them do it. */
export function live(plans: readonly Plan[], { calls, total, inFlight }: Bounds) {
  const made: Made[] = [];
  const state = { unserved: plans.length };
  const sleepers = new Map<string, () => void>();
  const { clock, limiter } = rig({
    rate: { calls, perMs: WINDOW_MS },
    rateTotal: { calls: total, perMs: TOTAL_WINDOW_MS },
    inFlight,
    wake: (id) => sleepers.get(id)?.(),
  });
  /** Ended sooner by a wake, where it has a name. */
  const sleep = (ms: number, id = '') =>
    new Promise<void>((resolve) => {
      clock.at(ms, resolve);
      sleepers.set(id, resolve);
    });
  /** False: no call was made, and it has waited for what brings the next attempt. */
  const attempt = async (id: string, one: Plan, nth: number): Promise<boolean> => {
    const { credential, mayTry, beginDelayMs } = one;
    const { status = 0, latencyMs = 0, waitMs = 0 } = one.calls[nth] ?? {};
    const urgency = nth > 0 ? 'later' : one.urgency;
    const permit = await permitOf(limiter, id, { credential, mayTry, urgency });
    if (typeof permit === 'string') {
      await (permit === 'key-refused' ? sleep(2_000_000, id) : sleep(1));
      return false;
    }
    await sleep(beginDelayMs);
    if (!permit.begin()) {
      permit.finish();
      await sleep(1_000);
      return false;
    }
    const call: Made = { id, credential, at: clock.monotonic(), endedAt: Infinity, status, waitMs };
    made.push(call);
    await sleep(latencyMs);
    call.endedAt = clock.monotonic();
    permit.finish(endOf(status, waitMs));
    return true;
  };
  const begin = async (id: string, one: Plan): Promise<void> => {
    await sleep(one.arrivesMs);
    for (const [nth, { status }] of one.calls.entries()) {
      while (!(await attempt(id, one, nth)));
      if (status === 401) await sleep(2_000_000, id);
    }
    state.unserved -= 1;
  };
  for (const [nth, one] of plans.entries()) void begin(String(nth), one);
  return { clock, made, limiter, state };
}
