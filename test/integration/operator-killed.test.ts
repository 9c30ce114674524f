import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScene, type Scene } from '../support/scene.ts';
import { settled } from '../support/watching.ts';

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
