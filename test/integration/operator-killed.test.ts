import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScene, type Scene } from '../support/scene.ts';
import { expectCurrent, settled } from '../support/watching.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

/**
 * Kills the operator when the PUT with this number has taken effect and before its answer leaves.
 */
async function killDuringPut(name: string, count: number): Promise<void> {
  await scene.psets.putsUntil(name, count);
  await scene.operator().kill();
  scene.simulator.release();
}

test('killed after the PUT of a new object arrived: at most one more, and the status is that of a clean run', async () => {
  await scene.psets.create('clean');
  const clean = await scene.psets.until('clean', 'Applied');
  scene.simulator.next({ hold: true });
  await scene.psets.create('killed-new');
  await killDuringPut('killed-new', 1);
  await scene.start();
  const object = await scene.psets.until('killed-new', 'Applied');
  await settled(scene);
  expect(scene.psets.puts('killed-new')).toHaveLength(2);
  expect(await scene.psets.writes('killed-new')).toHaveLength(1);
  expectCurrent(object);
  expect(object.status.applied?.requestId).toBe(scene.psets.puts('killed-new').at(-1)?.requestId);
  expect(Object.keys(object.status).toSorted()).toEqual(Object.keys(clean.status).toSorted());
  expect(object.status.settings).toEqual(clean.status.settings);
});

test('killed after the PUT of an edit arrived, and the edit taken back meanwhile: what is declared is sent', async () => {
  await scene.psets.create('killed-edit', { settings: { engine_max_threads: 4 } });
  await scene.psets.until('killed-edit', 'Applied');
  scene.simulator.next({ hold: true });
  await scene.psets.create('killed-edit', { settings: { engine_max_threads: 60 } });
  await killDuringPut('killed-edit', 2);
  await scene.psets.create('killed-edit', { settings: { engine_max_threads: 4 } });
  await scene.start();
  const { status } = await scene.psets.until('killed-edit', 'Applied');
  await settled(scene);
  // Equal hashes alone would say that nothing is to be done, and the pipe would keep 60.
  expect(scene.psets.puts('killed-edit').map(({ body }) => body)).toEqual([
    { engine_max_threads: 4 },
    { engine_max_threads: 60 },
    { engine_max_threads: 4 },
  ]);
  expect(status.applied?.generation).toBe(3);
});

test('told to end during a call: the call ends, its status is written, no other call starts, the exit code is 0', async () => {
  scene.simulator.next({ hold: true });
  await scene.psets.create('last');
  await scene.psets.putsUntil('last', 1);
  const operator = scene.operator();
  const exited = operator.stop();
  await operator.waitForLine(
    ({ msg }) => msg.startsWith('stopping'),
    'it took notice of the signal',
  );
  await scene.psets.create('too-late');
  scene.simulator.release();
  expect(await exited).toBe(0);
  const { status } = await scene.psets.get('last');
  expect(status.conditions[0]).toMatchObject({ type: 'Ready', status: 'True', reason: 'Applied' });
  expect(status.applied?.requestId).toBe(scene.psets.puts('last')[0]?.requestId);
  expect(scene.psets.puts('too-late')).toEqual([]);
  await scene.start();
  await scene.psets.until('too-late', 'Applied');
  await settled(scene);
  expect(scene.psets.puts('last')).toHaveLength(1);
});
