import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { expectCurrent, settled, side } from '../support/watching.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

/** Creates an object and resolves while its PUT has taken effect but not been answered. */
async function midway(name: string, settings: Readonly<Record<string, unknown>>): Promise<void> {
  scene.simulator.next({ hold: true }, { match: { pathIncludes: pathOf(name) } });
  await scene.psets.create(name, { settings });
  await scene.psets.putsUntil(name, 1);
}

const bodiesOf = (pipe: string): unknown[] => scene.psets.puts(pipe).map(({ body }) => body);

test('edited while its call runs: the edit is sent after it, and the status ends at the edit', async () => {
  await midway('edited', { engine_max_threads: 5 });
  await scene.psets.create('edited', { settings: { engine_max_threads: 6 } });
  scene.simulator.release();
  const object = await scene.psets.until('edited', 'Applied');
  await settled(scene);
  expect(bodiesOf('edited')).toEqual([{ engine_max_threads: 5 }, { engine_max_threads: 6 }]);
  expectCurrent(object);
  expect(object.status.applied).toMatchObject({
    generation: 2,
    requestId: scene.psets.puts('edited').at(-1)?.requestId,
  });
  expect(object.status['history']).toMatchObject([{ generation: 1 }, { generation: 2 }]);
});

test('suspended while its call runs: the result is recorded, and nothing more is sent', async () => {
  await midway('stopped', { engine_max_threads: 5 });
  await scene.psets.create('stopped', { suspend: true, settings: { engine_max_threads: 5 } });
  scene.simulator.release();
  const object = await scene.psets.until('stopped', 'Suspended');
  await settled(scene);
  expect(scene.psets.puts('stopped')).toHaveLength(1);
  expect(object.status.conditions[0]).toMatchObject({ status: 'True' });
  expect(object.status.applied?.generation).toBe(1);
});

test('deleted while its call runs: nothing is sent, written or complained of after it', async () => {
  await midway('deleted', { engine_max_threads: 5 });
  await scene.psets.remove('deleted');
  scene.simulator.release();
  await settled(scene);
  expect(scene.psets.puts('deleted')).toHaveLength(1);
  expect((await scene.psets.writes('deleted')).filter(({ code }) => code < 300)).toEqual([]);
  const complaints = scene
    .operator()
    .lines.filter(({ level }) => ['warn', 'error', 'fatal'].includes(level));
  expect(complaints).toEqual([]);
});

test('deleted and made again while its call runs: the old result is not written to the new object', async () => {
  await midway('replaced', { engine_max_threads: 5 });
  await scene.psets.remove('replaced');
  await scene.psets.create('replaced', { settings: { engine_max_threads: 6 } });
  scene.simulator.release();
  const object = await scene.psets.until('replaced', 'Applied');
  await settled(scene);
  expect(bodiesOf('replaced')).toEqual([{ engine_max_threads: 5 }, { engine_max_threads: 6 }]);
  expect(object.status.applied?.requestId).toBe(scene.psets.puts('replaced').at(-1)?.requestId);
  expect(object.status['history']).toHaveLength(1);
});

test('the holder deleted while its call runs: the one that waits sends only after that call has ended', async () => {
  await midway('leaver', { engine_max_threads: 5 });
  await scene.psets.create('heir', { pipeId: 'leaver', settings: { engine_max_threads: 7 } });
  await scene.psets.until('heir', 'TargetConflict');
  await scene.psets.remove('leaver');
  await settled(scene);
  expect(scene.psets.puts('leaver'), 'one call in flight per pipe').toHaveLength(1);
  scene.simulator.release();
  const heir = await scene.psets.until('heir', 'Applied');
  expect(side(heir)).toBeUndefined();
  expect(bodiesOf('leaver')).toEqual([{ engine_max_threads: 5 }, { engine_max_threads: 7 }]);
});
