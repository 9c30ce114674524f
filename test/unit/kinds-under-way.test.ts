import { expect, test } from 'vitest';
import { createRateLimiter } from '../../src/api/limiter/rate-limiter.ts';
import { attempt, attemptsOf } from '../../src/kinds/engine/api-call.ts';
import type { KindContext } from '../../src/kinds/engine/context.ts';
import { Locks } from '../../src/kinds/target/locks.ts';
import { Unrecorded } from '../../src/kinds/target/unrecorded.ts';
import { keyOf } from '../../src/kube/resource.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { anAnswer, aPipeSettings } from '../support/objects.ts';

const TARGET = 'a target';
const AT_WORK_MS = 95_000;

function aProcess() {
  const clock = new FakeClock();
  const object = aPipeSettings();
  const locks = new Locks({
    monotonic: () => clock.monotonic(),
    apiTimeoutMs: 35_000,
    onFree: () => undefined,
  });
  const context: Pick<KindContext, 'limiter' | 'readCredential' | 'clock'> = {
    limiter: createRateLimiter({
      rate: { calls: 0, perMs: 1 },
      inFlight: 4,
      clock,
      wake: () => undefined,
    }),
    readCredential: async () => ({
      ok: true,
      credential: { id: 'key', authorization: 'Basic x', mask: (text) => text },
      resourceVersion: '1',
    }),
    clock,
  };
  const store = { get: () => object };
  const attempts = attemptsOf('Kind', context as KindContext, {
    store,
    locks,
    unrecorded: new Unrecorded(() => undefined),
  });
  return {
    clock,
    /** Makes a call that was answered with 200. */
    call: async (isShown: boolean) => {
      const send = async (_: unknown, begin: () => unknown) => {
        begin();
        return anAnswer(200, { result: {} });
      };
      const wish = {
        object,
        ref: { name: 'api' },
        target: TARGET,
        lane: 'user',
        write: true,
        of: 'pipe',
      } as const;
      await attempt({ ...wish, isShown: () => isShown, send }, attempts);
      attempts.release(keyOf(object), true);
    },
    told: () => attempts.recorded(keyOf(object), 'written'),
    /** For how long another object of this target has to wait. */
    left: () => locks.remainingMs(TARGET, 'another'),
  };
}

test.each([
  { shown: [false], wait: AT_WORK_MS - 10_000 },
  { shown: [true], wait: undefined },
  { shown: [true, true], wait: undefined },
  { shown: [true, false], wait: AT_WORK_MS },
  { shown: [false, true], wait: AT_WORK_MS - 10_000 },
])(
  'another object of the target waits for each call whose effect was not shown: $shown',
  async ({ shown, wait }) => {
    const { clock, call, told, left } = aProcess();
    const [first = true, second] = shown;
    await call(first);
    await clock.advance(10_000);
    if (second !== undefined) await call(second);
    expect(left(), 'no status tells of the last one yet').toBe(
      second === undefined ? AT_WORK_MS - 10_000 : AT_WORK_MS,
    );
    told();
    expect(left()).toBe(wait);
  },
);
