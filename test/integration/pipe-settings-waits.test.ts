import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import type { Pset } from '../support/scene-objects.ts';
import { ready, settled } from '../support/watching.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let scene: Scene;
let operator: InnerOperator;
beforeAll(async () => {
  scene = await openScene({ start: 'inner', clock: slowClock() });
  operator = scene.inner();
});
afterAll(async () => {
  await scene.end();
});

function afterAttempt(name: string, attempts: number): Promise<Pset> {
  return scene.psets.untilIt(
    name,
    `attempt ${attempts}`,
    ({ status }) => status.attempts === attempts,
  );
}

/** Milliseconds from the last attempt to the next, as the status has them. */
function waitIn({ status }: Pset): number {
  return Date.parse(status.nextAttemptTime ?? '') - Date.parse(status.lastRequest?.time ?? '');
}

test.each([
  { status: 422, reason: 'Rejected', first: 10 * MINUTE, cap: 6 * HOUR, doublings: 6 },
  { status: 424, reason: 'DependencyNotReady', first: 30 * SECOND, cap: 10 * MINUTE, doublings: 5 },
])(
  'waits after $reason double up to their cap, and each ends with one call',
  async ({ status, reason, first, cap, doublings }) => {
    const name = `waits-${status}`;
    scene.simulator.always({ status, error: 'no' }, { pathIncludes: pathOf(name) });
    await scene.psets.create(name);
    for (let attempts = 1; attempts <= doublings + 2; attempts += 1) {
      const object = await afterAttempt(name, attempts);
      expect(ready(object).reason).toBe(reason);
      expect(scene.psets.puts(name)).toHaveLength(attempts);
      const nominal = Math.min(first * 2 ** (attempts - 1), cap);
      // ±20 %, and times in status are whole seconds.
      expect(waitIn(object), `wait ${attempts}`).toBeGreaterThanOrEqual(0.8 * nominal - SECOND);
      expect(waitIn(object), `wait ${attempts}`).toBeLessThanOrEqual(1.2 * nominal + SECOND);
      operator.clock.advance(waitIn(object) + SECOND);
    }
  },
);

test('a wait and its count survive a restart: nothing before its time, and the next wait is the longer one', async () => {
  scene.simulator.always({ status: 422, error: 'no' }, { pathIncludes: pathOf('patient') });
  await scene.psets.create('patient');
  operator.clock.advance(waitIn(await afterAttempt('patient', 1)) + SECOND);
  const before = await afterAttempt('patient', 2);
  await operator.stop();
  operator = await scene.startInner({ clock: operator.clock });
  await settled(scene);
  expect((await scene.psets.get('patient')).metadata.resourceVersion).toBe(
    before.metadata.resourceVersion,
  );
  operator.clock.advance(waitIn(before) - MINUTE);
  await settled(scene);
  expect(scene.psets.puts('patient')).toHaveLength(2);
  operator.clock.advance(MINUTE + SECOND);
  await scene.psets.putsUntil('patient', 3);
  expect(waitIn(await afterAttempt('patient', 3))).toBeGreaterThan(0.8 * 40 * MINUTE - SECOND);
});

test('a re-assert that is due is not put off by a restart, and one that is not due is not brought forward', async () => {
  await scene.psets.create('interval', { reassertInterval: '30m' });
  const first = await scene.psets.until('interval', 'Applied');
  operator.clock.advance(20 * MINUTE);
  await operator.stop();
  operator = await scene.startInner({ clock: operator.clock });
  await settled(scene);
  expect(scene.psets.puts('interval')).toHaveLength(1);
  await operator.stop();
  operator.clock.advance(
    Date.parse(first.status.nextAttemptTime ?? '') - operator.clock.now() + SECOND,
  );
  operator = await scene.startInner({ clock: operator.clock });
  await scene.psets.putsUntil('interval', 2);
  await settled(scene);
  expect(scene.psets.puts('interval')).toHaveLength(2);
});
