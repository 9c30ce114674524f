import { afterAll, beforeAll, expect, test } from 'vitest';
import { change } from '../support/cluster.ts';
import { pathOf } from '../support/pipe-settings.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready, settled } from '../support/watching.ts';

const ANNOTATION = 'pipewright.dev/reconcile-requested-at';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

async function annotate(name: string, value: string): Promise<void> {
  const path = `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/pipesettings/${name}`;
  await change(path, (stored) => ({
    ...stored,
    metadata: {
      ...stored.metadata,
      annotations: { ...stored.metadata.annotations, [ANNOTATION]: value },
    },
  }));
}

function handled(name: string, value: string) {
  return scene.psets.untilIt(
    name,
    `${value} handled`,
    ({ status }) => status.lastHandledReconcileAt === value,
  );
}

test('a request to try now sends the declared state once per value', async () => {
  await scene.psets.create('asked');
  await scene.psets.until('asked', 'Applied');
  await annotate('asked', 'a');
  await handled('asked', 'a');
  expect(scene.psets.puts('asked')).toHaveLength(2);
  await annotate('asked', 'a');
  await settled(scene);
  expect(scene.psets.puts('asked')).toHaveLength(2);
  expect(await scene.psets.writes('asked')).toHaveLength(2);
  await annotate('asked', 'b');
  await handled('asked', 'b');
  await settled(scene);
  expect(scene.psets.puts('asked')).toHaveLength(3);
});

test('of a long value the first 256 characters count, whole characters only', async () => {
  await scene.psets.create('long');
  await scene.psets.until('long', 'Applied');
  const value = `${'é'.repeat(250)}${'𝄞'.repeat(50)}`;
  const kept = [...value].slice(0, 256).join('');
  await annotate('long', value);
  await handled('long', kept);
  await annotate('long', `${value}, and another end`);
  await settled(scene);
  expect(scene.psets.puts('long')).toHaveLength(2);
  await annotate('long', `!${value}`);
  await handled('long', [...`!${value}`].slice(0, 256).join(''));
  expect(scene.psets.puts('long')).toHaveLength(3);
});

test.each([
  { state: 'Suspended', spec: { suspend: true } },
  { state: 'Planned', spec: { mode: 'Plan' } },
])(
  'a request is acknowledged without a call in the state $state, and not owed afterwards',
  async ({ state, spec }) => {
    const name = `quiet-${state.toLowerCase()}`;
    await scene.psets.create(name, spec);
    await scene.psets.until(name, state);
    await annotate(name, 'now');
    const object = await handled(name, 'now');
    expect(ready(object).reason).toBe(state);
    expect(scene.psets.puts(name)).toEqual([]);
    await scene.psets.create(name, {});
    await scene.psets.until(name, 'Applied');
    await settled(scene);
    expect(scene.psets.puts(name)).toHaveLength(1);
  },
);

test('a request makes a refused object try before its time, and stays owed until an attempt has succeeded', async () => {
  const match = { pathIncludes: pathOf('owed') };
  scene.simulator.next({ status: 422, error: 'no' }, { times: 2, match });
  await scene.psets.create('owed');
  const refused = await scene.psets.until('owed', 'Rejected');
  expect(Date.parse(refused.status.nextAttemptTime ?? '')).toBeGreaterThan(Date.now() + 60_000);
  await annotate('owed', 'try');
  await scene.psets.putsUntil('owed', 2);
  const again = await handled('owed', 'try');
  expect(again.status).toMatchObject({
    attempts: 2,
    conditions: [{ reason: 'Rejected' }, { type: 'Stalled' }],
  });
  await settled(scene);
  expect(scene.psets.puts('owed'), 'a request is no reason to try in a tight loop').toHaveLength(2);
  await annotate('owed', 'try again');
  await scene.psets.until('owed', 'Applied');
  expect((await handled('owed', 'try again')).status.attempts).toBeUndefined();
});

test('a request that met an outage is carried out when the outage is over, without another one', async () => {
  await scene.psets.create('outage');
  const before = await scene.psets.until('outage', 'Applied');
  scene.simulator.next({ status: 503 }, { match: { pathIncludes: pathOf('outage') } });
  await annotate('outage', 'now');
  const after = await scene.psets.untilIt(
    'outage',
    'confirmed again',
    ({ status }) => status.applied?.requestId !== before.status.applied?.requestId,
  );
  expect(ready(after).reason).toBe('Applied');
  await settled(scene);
  expect(scene.psets.puts('outage').map(({ status }) => status)).toEqual([200, 503, 200]);
});
