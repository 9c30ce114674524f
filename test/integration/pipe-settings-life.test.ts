import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectl } from '../controlplane/client.ts';
import { asAdmin } from '../support/cluster.ts';
import { putStatus } from '../support/crd.ts';
import { ORGANIZATION, openScene, pathOf, type Scene, SERVICE } from '../support/scene.ts';
import {
  expectCurrent,
  objectUntil,
  putsOf,
  putsUntil,
  ready,
  settled,
  side,
} from '../support/watching.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

const pathTo = (name: string): string =>
  `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/pipesettings/${name}`;

function bodiesOf(pipe: string): unknown[] {
  return putsOf(scene, pipe).map(({ body }) => body);
}

test('an edit sends the whole declared set, and the status speaks of the new generation', async () => {
  await scene.pset('edit', { settings: { engine_max_threads: 8, object_storage_concurrency: 4 } });
  await scene.until('edit', 'Applied');
  await scene.pset('edit', { settings: { engine_max_threads: 16, object_storage_concurrency: 4 } });
  const after = await scene.until('edit', 'Applied');
  expect(bodiesOf('edit')).toEqual([
    { engine_max_threads: 8, object_storage_concurrency: 4 },
    { engine_max_threads: 16, object_storage_concurrency: 4 },
  ]);
  expectCurrent(after);
  expect(after.status.applied).toMatchObject({
    generation: 2,
    requestId: putsOf(scene, 'edit').at(-1)?.requestId,
  });
  expect(after.status['history']).toMatchObject([
    { generation: 1 },
    { generation: 2, changes: [{ field: 'engine_max_threads', from: 8, to: 16 }] },
  ]);
});

test('an edit that the API refuses is stalled until it is corrected, and then as if nothing had been', async () => {
  await scene.pset('refused');
  const good = await scene.until('refused', 'Applied');
  scene.simulator.next(
    { status: 400, error: 'BAD_REQUEST: out of the range of this plan' },
    {
      match: { pathIncludes: pathOf('refused') },
    },
  );
  await scene.pset('refused', { settings: { engine_max_threads: 64 } });
  const bad = await scene.until('refused', 'Rejected');
  expect(side(bad)).toBe('Stalled');
  expect(ready(bad).message).toContain('out of the range of this plan');
  expect(bad.status.applied).toEqual(good.status.applied);
  expect(bad.status.settings).toEqual(good.status.settings);
  expectCurrent(bad);
  await scene.pset('refused', { settings: { engine_max_threads: 8 } });
  const mended = await scene.until('refused', 'Applied');
  expect(side(mended)).toBeUndefined();
  expect(mended.status.attempts).toBeUndefined();
  expect(mended.status.nextAttemptTime).toBeUndefined();
  expect(bodiesOf('refused')).toHaveLength(3);
  expectCurrent(mended);
});

test('suspended, edits are not sent; resumed, the last one is sent once', async () => {
  await scene.pset('paused');
  await scene.until('paused', 'Applied');
  await scene.pset('paused', { suspend: true });
  const still = await scene.until('paused', 'Suspended');
  expect(ready(still).status).toBe('True');
  await scene.pset('paused', { suspend: true, settings: { engine_max_threads: 9 } });
  const other = await objectUntil(
    scene,
    'paused',
    'not confirmed',
    (object) => ready(object).status === 'False',
  );
  expect(ready(other).reason).toBe('Suspended');
  expect(side(other)).toBeUndefined();
  expectCurrent(other);
  await settled(scene);
  expect(bodiesOf('paused')).toHaveLength(1);
  await scene.pset('paused', { suspend: false, settings: { engine_max_threads: 9 } });
  await scene.until('paused', 'Applied');
  await settled(scene);
  expect(bodiesOf('paused')).toEqual([{ engine_max_threads: 8 }, { engine_max_threads: 9 }]);
});

test('resuming sends once even where nothing else changed', async () => {
  await scene.pset('resumed', { suspend: true });
  await scene.until('resumed', 'Suspended');
  expect(bodiesOf('resumed')).toEqual([]);
  await scene.pset('resumed', { suspend: false });
  await scene.until('resumed', 'Applied');
  await scene.pset('resumed', { suspend: true });
  await scene.until('resumed', 'Suspended');
  await scene.pset('resumed', { suspend: false });
  expectCurrent(await scene.until('resumed', 'Applied'));
  await settled(scene);
  expect(bodiesOf('resumed')).toHaveLength(2);
});

test('a key taken out of the spec is neither reset nor sent again', async () => {
  await scene.pset('less', { settings: { engine_max_threads: 16, engine_max_insert_threads: 3 } });
  await scene.until('less', 'Applied');
  await scene.pset('less', { settings: { engine_max_threads: 16 } });
  const { status } = await scene.until('less', 'Applied');
  expect(bodiesOf('less').at(-1)).toEqual({ engine_max_threads: 16 });
  expect(scene.simulator.settingsOf(`${ORGANIZATION}/${SERVICE}/less`)).toEqual({
    engine_max_threads: 16,
    engine_max_insert_threads: 3,
  });
  expect(status.applied?.['keys']).toEqual(['engine_max_threads']);
  expect(status.settings).toMatchObject({ engine_max_insert_threads: 3 });
  expect(status['drift']).toBeUndefined();
});

test('deletion makes no call, waits for nobody and leaves the pipe as it is', async () => {
  await scene.pset('leaving', { settings: { engine_max_threads: 32 } });
  await scene.until('leaving', 'Applied');
  const gone = await asAdmin<{ status: string }>('DELETE', pathTo('leaving'));
  // With a finalizer the server would answer with the object and its deletionTimestamp.
  expect(gone.status).toBe('Success');
  await settled(scene);
  expect(scene.simulator.calls({ pathIncludes: pathOf('leaving') })).toHaveLength(1);
  expect((await scene.list()).map(({ metadata }) => metadata.name)).not.toContain('leaving');
});

test('an object made again under the same name is a new one', async () => {
  await scene.pset('again', { settings: { engine_max_threads: 5 } });
  const first = await scene.until('again', 'Applied');
  await scene.remove('again');
  await scene.pset('again', { settings: { engine_max_threads: 6 } });
  const second = await scene.until('again', 'Applied');
  expect(second.metadata.uid).not.toBe(first.metadata.uid);
  expect(bodiesOf('again')).toEqual([{ engine_max_threads: 5 }, { engine_max_threads: 6 }]);
  expect(second.status['history']).toHaveLength(1);
  expect(second.status.applied?.generation).toBe(1);
});

test('a status that a user wiped comes back, with one PUT', async () => {
  await scene.pset('wiped');
  const before = await scene.until('wiped', 'Applied');
  expect((await putStatus(scene.namespace, 'wiped', {})).status).toBe(200);
  await putsUntil(scene, 'wiped', 2);
  const after = await objectUntil(
    scene,
    'wiped',
    'applied again',
    ({ status }) => status.applied !== undefined,
  );
  expect(ready(after).reason).toBe('Applied');
  expectCurrent(after);
  expect(after.status.settings).toEqual(before.status.settings);
  await settled(scene);
  expect(putsOf(scene, 'wiped')).toHaveLength(2);
});

test('the columns say what stands in the status', async () => {
  await scene.pset('columns');
  const { status } = await scene.until('columns', 'Applied');
  const print = async (...more: string[]): Promise<string[][]> => {
    const { stdout } = await kubectl(['get', 'pset', 'columns', '-n', scene.namespace, ...more]);
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
  };
  const [head, row] = await print();
  expect(head).toEqual(['NAME', 'READY', 'REASON', 'STALLED', 'LAST APPLIED', 'AGE']);
  // Stalled is empty, so the split leaves it out.
  expect(row?.slice(0, 3)).toEqual(['columns', 'True', 'Applied']);
  for (const age of row?.slice(3) ?? []) expect(age).toMatch(/^\d+[sm]/);
  const wide = (await print('-o', 'wide'))[1]?.join('  ');
  expect(wide).toContain(status.applied?.requestId);
  expect(wide).toContain('The API accepted the declared setting');
  await scene.pset('waiting', { credentialsSecretRef: { name: 'nowhere' } });
  const waiting = await scene.until('waiting', 'SecretNotFound');
  const { stdout } = await kubectl(['get', 'pset', 'waiting', '-n', scene.namespace, '-o', 'wide']);
  expect(stdout).toContain(waiting.status.nextAttemptTime);
  expect(stdout).toMatch(/False\s+SecretNotFound/);
});
