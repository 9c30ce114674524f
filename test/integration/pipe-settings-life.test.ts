import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectl } from '../controlplane/client.ts';
import { asAdmin } from '../support/cluster.ts';
import { putStatus } from '../support/crd.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, SERVICE } from '../support/scene-objects.ts';
import { expectCurrent, ready, settled, side } from '../support/watching.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

const pathTo = (name: string): string =>
  `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/pipesettings/${name}`;

function bodiesOf(pipe: string): unknown[] {
  return scene.psets.puts(pipe).map(({ body }) => body);
}

test('an edit sends the whole declared set, and the status speaks of the new generation', async () => {
  await scene.psets.create('edit', {
    settings: { engine_max_threads: 8, object_storage_concurrency: 4 },
  });
  await scene.psets.until('edit', 'Applied');
  await scene.psets.create('edit', {
    settings: { engine_max_threads: 16, object_storage_concurrency: 4 },
  });
  const after = await scene.psets.until('edit', 'Applied');
  expect(bodiesOf('edit')).toEqual([
    { engine_max_threads: 8, object_storage_concurrency: 4 },
    { engine_max_threads: 16, object_storage_concurrency: 4 },
  ]);
  expectCurrent(after);
  expect(after.status.applied).toMatchObject({
    generation: 2,
    requestId: scene.psets.puts('edit').at(-1)?.requestId,
  });
  expect(after.status['history']).toMatchObject([
    { generation: 1 },
    { generation: 2, changes: [{ field: 'engine_max_threads', from: 8, to: 16 }] },
  ]);
});

test('an edit that the API refuses is stalled until it is corrected, and then as if nothing had been', async () => {
  await scene.psets.create('refused');
  const good = await scene.psets.until('refused', 'Applied');
  scene.simulator.next(
    { status: 400, error: 'BAD_REQUEST: out of the range of this plan' },
    {
      match: { pathIncludes: pathOf('refused') },
    },
  );
  await scene.psets.create('refused', { settings: { engine_max_threads: 64 } });
  const bad = await scene.psets.until('refused', 'Rejected');
  expect(side(bad)).toBe('Stalled');
  expect(ready(bad).message).toContain('out of the range of this plan');
  expect(bad.status.applied).toEqual(good.status.applied);
  expect(bad.status.settings).toEqual(good.status.settings);
  expectCurrent(bad);
  await scene.psets.create('refused', { settings: { engine_max_threads: 8 } });
  const mended = await scene.psets.until('refused', 'Applied');
  expect(side(mended)).toBeUndefined();
  expect(mended.status.attempts).toBeUndefined();
  expect(mended.status.nextAttemptTime).toBeUndefined();
  expect(bodiesOf('refused')).toHaveLength(3);
  expectCurrent(mended);
});

test('suspended, edits are not sent; resumed, the last one is sent once', async () => {
  await scene.psets.create('paused');
  await scene.psets.until('paused', 'Applied');
  await scene.psets.create('paused', { suspend: true });
  const still = await scene.psets.until('paused', 'Suspended');
  expect(ready(still).status).toBe('True');
  await scene.psets.create('paused', { suspend: true, settings: { engine_max_threads: 9 } });
  const other = await scene.psets.untilIt(
    'paused',
    'not confirmed',
    (object) => ready(object).status === 'False',
  );
  expect(ready(other).reason).toBe('Suspended');
  expect(side(other)).toBeUndefined();
  expectCurrent(other);
  await settled(scene);
  expect(bodiesOf('paused')).toHaveLength(1);
  await scene.psets.create('paused', { suspend: false, settings: { engine_max_threads: 9 } });
  await scene.psets.until('paused', 'Applied');
  await settled(scene);
  expect(bodiesOf('paused')).toEqual([{ engine_max_threads: 8 }, { engine_max_threads: 9 }]);
});

test('resuming sends once even where nothing else changed', async () => {
  await scene.psets.create('resumed', { suspend: true });
  await scene.psets.until('resumed', 'Suspended');
  expect(bodiesOf('resumed')).toEqual([]);
  await scene.psets.create('resumed', { suspend: false });
  await scene.psets.until('resumed', 'Applied');
  await scene.psets.create('resumed', { suspend: true });
  await scene.psets.until('resumed', 'Suspended');
  await scene.psets.create('resumed', { suspend: false });
  expectCurrent(await scene.psets.until('resumed', 'Applied'));
  await settled(scene);
  expect(bodiesOf('resumed')).toHaveLength(2);
});

test('a key taken out of the spec is neither reset nor sent again', async () => {
  await scene.psets.create('less', {
    settings: { engine_max_threads: 16, engine_max_insert_threads: 3 },
  });
  await scene.psets.until('less', 'Applied');
  await scene.psets.create('less', { settings: { engine_max_threads: 16 } });
  const { status } = await scene.psets.until('less', 'Applied');
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
  await scene.psets.create('leaving', { settings: { engine_max_threads: 32 } });
  await scene.psets.until('leaving', 'Applied');
  const gone = await asAdmin<{ status: string }>('DELETE', pathTo('leaving'));
  // With a finalizer the server would answer with the object and its deletionTimestamp.
  expect(gone.status).toBe('Success');
  await settled(scene);
  expect(scene.simulator.calls({ pathIncludes: pathOf('leaving') })).toHaveLength(1);
  expect((await scene.psets.list()).map(({ metadata }) => metadata.name)).not.toContain('leaving');
});

test('an object made again under the same name is a new one', async () => {
  await scene.psets.create('again', { settings: { engine_max_threads: 5 } });
  const first = await scene.psets.until('again', 'Applied');
  await scene.psets.remove('again');
  await scene.psets.create('again', { settings: { engine_max_threads: 6 } });
  const second = await scene.psets.until('again', 'Applied');
  expect(second.metadata.uid).not.toBe(first.metadata.uid);
  expect(bodiesOf('again')).toEqual([{ engine_max_threads: 5 }, { engine_max_threads: 6 }]);
  expect(second.status['history']).toHaveLength(1);
  expect(second.status.applied?.generation).toBe(1);
});

test('a status that a user wiped comes back, with one PUT', async () => {
  await scene.psets.create('wiped');
  const before = await scene.psets.until('wiped', 'Applied');
  expect((await putStatus(scene.namespace, 'wiped', {})).status).toBe(200);
  await scene.psets.putsUntil('wiped', 2);
  const after = await scene.psets.untilIt(
    'wiped',
    'applied again',
    ({ status }) => status.applied !== undefined,
  );
  expect(ready(after).reason).toBe('Applied');
  expectCurrent(after);
  expect(after.status.settings).toEqual(before.status.settings);
  await settled(scene);
  expect(scene.psets.puts('wiped')).toHaveLength(2);
});

test('the columns say what stands in the status', async () => {
  await scene.psets.create('columns');
  const { status } = await scene.psets.until('columns', 'Applied');
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
  await scene.psets.create('waiting', { credentialsSecretRef: { name: 'nowhere' } });
  const waiting = await scene.psets.until('waiting', 'SecretNotFound');
  const { stdout } = await kubectl(['get', 'pset', 'waiting', '-n', scene.namespace, '-o', 'wide']);
  expect(stdout).toContain(waiting.status.nextAttemptTime);
  expect(stdout).toMatch(/False\s+SecretNotFound/);
});
