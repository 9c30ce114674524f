import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, type Pset, SERVICE } from '../support/scene-objects.ts';
import { metric, ready, settled, side } from '../support/watching.ts';

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

const at = (pipe: string): string => `${ORGANIZATION}/${SERVICE}/${pipe}`;

/** The object once its status speaks of the pipe's PUT with this number. */
async function afterPut(name: string, count: number): Promise<Pset> {
  const put = (await scene.psets.putsUntil(name, count))[count - 1];
  return scene.psets.untilIt(
    name,
    `PUT ${count} in its status`,
    ({ status }) => put?.requestId !== undefined && status.lastRequest?.requestId === put.requestId,
  );
}

test('a change of an undeclared setting elsewhere is seen at the next reply: recorded, told and counted', async () => {
  await scene.psets.create('drifting', { settings: { engine_max_threads: 8 } });
  await scene.psets.until('drifting', 'Applied');
  const counted = metric(await operator.metrics(), 'pipewright_drift_total', {
    kind: 'PipeSettings',
  });
  scene.simulator.setSettings(at('drifting'), { object_storage_concurrency: 30 });
  await scene.psets.request('drifting');
  const { status } = await afterPut('drifting', 2);
  const found = { field: 'object_storage_concurrency', from: 4, to: 30 };
  expect(status['drift']).toEqual([{ ...found, time: expect.any(String) }]);
  expect(status.settings).toMatchObject({ object_storage_concurrency: 30 });
  const events = await waitFor(() => scene.events('drifting'), {
    what: 'the event',
    until: ({ length }) => length > 0,
  });
  expect(events).toMatchObject([{ type: 'Warning', reason: 'DriftDetected' }]);
  expect(events[0]?.note).toContain('object_storage_concurrency 4 → 30');
  expect(metric(await operator.metrics(), 'pipewright_drift_total', { kind: 'PipeSettings' })).toBe(
    counted + 1,
  );
  expect(scene.psets.puts('drifting').at(-1)?.body).toEqual({ engine_max_threads: 8 });

  await scene.psets.request('drifting');
  expect((await afterPut('drifting', 3)).status['drift']).toHaveLength(1);
  await settled(scene);
  expect(await scene.events('drifting')).toHaveLength(1);
});

test('a declared setting changed elsewhere is overwritten by the re-assert, unseen', async () => {
  await scene.psets.create('owned', { reassertInterval: '1h' });
  const first = await scene.psets.until('owned', 'Applied');
  const next =
    Date.parse(first.status.nextAttemptTime ?? '') -
    Date.parse(String(first.status.applied?.['time']));
  expect(next).toBeGreaterThanOrEqual(HOUR);
  expect(next).toBeLessThanOrEqual(1.1 * HOUR + SECOND);
  scene.simulator.setSettings(at('owned'), { engine_max_threads: 61 });
  operator.clock.advance(next - MINUTE);
  await settled(scene);
  expect(scene.psets.puts('owned')).toHaveLength(1);
  operator.clock.advance(MINUTE + SECOND);
  const { status } = await afterPut('owned', 2);
  expect(scene.simulator.settingsOf(at('owned'))).toMatchObject({ engine_max_threads: 8 });
  expect(status['drift']).toBeUndefined();
  expect(status['history']).toHaveLength(1);
});

test('history keeps the last ten confirmed changes', async () => {
  for (let threads = 1; threads <= 12; threads += 1) {
    await scene.psets.create('storied', { settings: { engine_max_threads: threads } });
    await scene.psets.until('storied', 'Applied');
  }
  const history = (await scene.psets.get('storied')).status['history'] as {
    generation: number;
    changes: unknown[];
  }[];
  expect(history.map(({ generation }) => generation)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(history.at(-1)?.changes).toEqual([{ field: 'engine_max_threads', from: 11, to: 12 }]);
});

test('what comes back different is asked about after 10 s, 1 min and 5 min, and then the user is told to act', async () => {
  scene.simulator.play({ settings: { clamp: { engine_max_download_threads: [0, 16] } } });
  await scene.psets.create('clamped', { settings: { engine_max_download_threads: 20 } });
  let object = await scene.psets.until('clamped', 'NotConfirmed');
  for (const [tries, wait] of [10 * SECOND, MINUTE, 5 * MINUTE].entries()) {
    expect(side(object), `after attempt ${tries + 1}`).toBe('Reconciling');
    expect(object.status.attempts).toBe(tries + 1);
    expect(object.status['differences']).toEqual([
      { field: 'engine_max_download_threads', declared: 20, reported: 16 },
    ]);
    const left =
      Date.parse(object.status.nextAttemptTime ?? '') -
      Date.parse(object.status.lastRequest?.time ?? '');
    expect(Math.abs(left - wait), `${left} ms after attempt ${tries + 1}`).toBeLessThanOrEqual(
      SECOND,
    );
    operator.clock.advance(wait + SECOND);
    object = await afterPut('clamped', tries + 2);
  }
  expect(side(object)).toBe('Stalled');
  expect(ready(object).message).toContain('engine_max_download_threads is 16, not 20');
  expect(object.status.applied).toBeUndefined();
  operator.clock.advance(8 * HOUR);
  expect(side(await afterPut('clamped', 5))).toBe('Stalled');
  await settled(scene, operator);
  // One when it began, one when the user was told to act.
  expect((await scene.events('clamped')).map(({ reason }) => reason)).toEqual([
    'NotConfirmed',
    'NotConfirmed',
  ]);
  expect(scene.psets.puts('clamped')).toHaveLength(5);

  await scene.psets.create('clamped', { settings: { engine_max_download_threads: 16 } });
  const mended = await scene.psets.until('clamped', 'Applied');
  expect(side(mended)).toBeUndefined();
  expect(mended.status['differences']).toBeUndefined();
  scene.simulator.play({ settings: { clamp: {} } });
});

describe.each(['merge', 'replace'] as const)('on a server that %ss', (writes) => {
  test('the declared settings end as declared, whatever way led there', async () => {
    scene.simulator.play({ settings: { writes } });
    const name = `to-${writes}`;
    for (const settings of [
      { engine_max_threads: 4, engine_max_insert_threads: 2 },
      { engine_max_threads: 5 },
      { engine_max_threads: 6, object_storage_use_cluster_function: false },
    ]) {
      await scene.psets.create(name, { settings });
      const { status } = await scene.psets.until(name, 'Applied');
      expect(scene.simulator.settingsOf(at(name))).toMatchObject(settings);
      expect(status.settings).toMatchObject(settings);
      expect(status['drift'], 'what left the spec is no drift').toBeUndefined();
    }
    scene.simulator.play({ settings: { writes: 'merge' } });
  });
});
