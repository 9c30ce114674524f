import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import type { Fault } from '../../simulator/types.ts';
import { openScene } from '../../support/scene.ts';
import { createFleet } from './storm-fleet.ts';
import { spoil } from './storm-weather.ts';

/** Each edit costs every object one call at least. */
const CALLS_AN_EDIT = 25;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The longest wait of any class, and a fifth more. */
const LONGEST_WAIT_MS = 6 * HOUR * 1.2;

/** Answers after which the operator waits for minutes or hours. */
const FAULTS: readonly Fault[] = [
  ...[301, 307, 400, 401, 403, 404, 410, 418, 422, 424].map((status) => ({ status })),
  ...(['text', 'empty', 'null', 'no-result', 'truncated', 'error-with-200'] as const).map(
    (body) => ({
      status: 200,
      body,
    }),
  ),
  { play: { settings: { echo: 'stale' }, organization: { echo: 'stale' } } },
  { status: 503, headers: { 'retry-after': '600' } },
  { status: 429, headers: { 'x-ratelimit-reset': '300' } },
];

test('R6: after failures of every class all converges within the longest wait, and then nothing moves for a day', async () => {
  const scene = await openScene({ start: false });
  const operator = await scene.startInner();
  const { simulator } = scene;
  const { clock } = operator;
  // A call under way when the clock is turned would be out of time.
  const turn = (): void => {
    if (operator.isIdle()) clock.advance(10 * MINUTE);
  };
  const fleet = createFleet({ scene, pipes: 20, organizations: 6 });
  // Whether an endpoint was there before must be known, or it is nobody's for ever.
  await fleet.edit();
  await fleet.converge(30_000);

  const before = simulator.callCount();
  spoil(simulator, { share: 0.5, faults: FAULTS }, 7);
  for (let edits = 1; edits <= 5; edits += 1) {
    await fleet.edit();
    await waitFor(
      () => {
        turn();
        return simulator.callCount();
      },
      { what: 'enough calls', until: (calls) => calls > before + CALLS_AN_EDIT * edits },
    );
  }
  simulator.clear();

  const ended = clock.now();
  // Once a look, or a look that takes long would cost hours.
  const look = async (): Promise<boolean> => {
    turn();
    await fleet.check();
    return true;
  };
  await waitFor(look, { what: 'all to be as wanted', timeoutMs: 120_000 });
  expect(clock.now() - ended).toBeLessThan(LONGEST_WAIT_MS);

  await operator.idle();
  const calls = simulator.callCount();
  const versions = await fleet.versions();
  for (let hours = 0; hours < 24; hours += 1) {
    clock.advance(HOUR);
    await pause(50);
    await operator.idle();
  }
  await fleet.check();
  expect(simulator.callCount()).toBe(calls);
  expect(await fleet.versions()).toEqual(versions);
  await scene.end();
});
