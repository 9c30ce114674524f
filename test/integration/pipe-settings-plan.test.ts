import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScene, type Scene } from '../support/scene.ts';
import type { Pset } from '../support/scene-objects.ts';
import { expectCurrent, ready, settled, side } from '../support/watching.ts';

interface ShownPlan {
  readonly time: string;
  readonly basis: string;
  readonly hash: string;
  readonly requests: readonly {
    readonly method: string;
    readonly path: string;
    readonly body: string;
  }[];
  readonly changes: readonly unknown[];
}

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

function planOf({ status }: Pset): ShownPlan {
  return status['plan'] as ShownPlan;
}

const MANY = {
  streaming_max_insert_wait_ms: 700,
  object_storage_max_insert_bytes: 53_687_091_200,
  object_storage_use_cluster_function: false,
  engine_max_threads: 0,
};

test('a plan that comes first knows nothing of the API, sends nothing, and shows to the byte what Apply then sends', async () => {
  await scene.psets.create('first', { mode: 'Plan', settings: MANY });
  const planned = await scene.psets.until('first', 'Planned');
  expect(ready(planned)).toMatchObject({
    status: 'False',
    message: expect.stringMatching(/^4 changes planned; not sent: one PUT with 4 settings;/),
  });
  expect(side(planned)).toBeUndefined();
  expectCurrent(planned);
  const plan = planOf(planned);
  expect(plan.basis).toBe('Unknown');
  expect(plan.requests).toHaveLength(1);
  expect(plan.changes).toEqual(
    expect.arrayContaining(Object.entries(MANY).map(([field, to]) => ({ field, to }))),
  );
  expect(plan.changes).toHaveLength(4);
  await settled(scene);
  expect(scene.psets.puts('first')).toEqual([]);

  await scene.psets.create('first', { settings: MANY });
  const applied = await scene.psets.until('first', 'Applied');
  const [put] = scene.psets.puts('first');
  expect(plan.requests).toEqual([{ method: put?.method, path: put?.path, body: put?.text }]);
  expect(applied.status['plan']).toBeUndefined();
  expect(applied.status.applied?.['requestHash']).toBe(plan.hash);
});

test('a plan after a reply shows what differs from that, follows edits, and goes when it is applied', async () => {
  await scene.psets.create('later', {
    settings: { engine_max_threads: 8, object_storage_concurrency: 6 },
  });
  const before = await scene.psets.until('later', 'Applied');
  await scene.psets.create('later', {
    mode: 'Plan',
    settings: { engine_max_threads: 12, object_storage_concurrency: 6 },
  });
  const planned = await scene.psets.until('later', 'Planned');
  expect(planOf(planned)).toMatchObject({
    basis: 'LastResponse',
    changes: [{ field: 'engine_max_threads', from: 8, to: 12 }],
  });
  expect(ready(planned).status).toBe('False');
  expect(planned.status.applied).toEqual(before.status.applied);

  await scene.psets.create('later', {
    mode: 'Plan',
    settings: { engine_max_threads: 8, object_storage_concurrency: 6 },
  });
  const same = await scene.psets.untilIt(
    'later',
    'an empty plan',
    (object) => planOf(object).changes.length === 0,
  );
  expect(ready(same)).toMatchObject({
    status: 'True',
    message: expect.stringMatching(/^No changes;.*compared with the last response/),
  });
  expect(side(same)).toBeUndefined();

  await scene.psets.create('later', { mode: 'Plan', settings: { engine_max_threads: 13 } });
  const other = await scene.psets.untilIt(
    'later',
    'the next plan',
    (object) => planOf(object).changes.length === 1,
  );
  await settled(scene);
  expect(scene.psets.puts('later')).toHaveLength(1);
  await scene.psets.create('later', { mode: 'Apply', settings: { engine_max_threads: 13 } });
  const applied = await scene.psets.until('later', 'Applied');
  expect(scene.psets.puts('later').at(-1)?.text).toBe(planOf(other).requests[0]?.body);
  expect(applied.status['plan']).toBeUndefined();
});

test('suspend goes before Plan, and takes the plan off the status', async () => {
  await scene.psets.create('both', { mode: 'Plan' });
  await scene.psets.until('both', 'Planned');
  await scene.psets.create('both', { mode: 'Plan', suspend: true });
  const { status } = await scene.psets.until('both', 'Suspended');
  expect(status['plan']).toBeUndefined();
  expect(scene.psets.puts('both')).toEqual([]);
});

test('a plan needs no Secret and no API', async () => {
  await scene.simulator.down();
  await scene.psets.create('offline', { mode: 'Plan', credentialsSecretRef: { name: 'nowhere' } });
  expect(ready(await scene.psets.until('offline', 'Planned')).status).toBe('False');
  await scene.simulator.up();
});
