import { afterAll, beforeAll, expect, test } from 'vitest';
import { change } from '../../support/cluster.ts';
import { metric } from '../../support/exposition.ts';
import { succeed } from '../../support/kubectl.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { ORGANIZATION, type Pset, SERVICE, type Spec } from '../../support/scene-objects.ts';
import { expectCurrent, ready, settled } from '../../support/watching.ts';

/** The life of a PipeSettings on a real API server: what each thing that users do costs and says. */

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

const bodiesOf = (name: string) => scene.psets.puts(name).map(({ body }) => body);
const threads = (engine_max_threads: number) => ({ settings: { engine_max_threads } });
const pipe = (name: string) => `${ORGANIZATION}/${SERVICE}/${name}`;

async function applied(name: string, spec: Spec = {}): Promise<Pset> {
  await scene.psets.create(name, spec);
  return scene.psets.until(name, 'Applied');
}

/** What the operator did for one object: calls, writes to its status, events about it. */
async function doneFor(name: string) {
  await settled(scene);
  const [writes, events] = await Promise.all([scene.psets.writes(name), scene.events(name)]);
  const notes = events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
  return { puts: scene.psets.puts(name).length, writes: writes.length, notes };
}

test('a new object costs one PUT, one write and no event; an edit one of each', async () => {
  expectCurrent(await applied('edited'));
  expect(await doneFor('edited')).toEqual({ puts: 1, writes: 1, notes: [] });
  const object = await applied('edited', threads(16));
  expectCurrent(object);
  const { requestId } = scene.psets.puts('edited').at(-1) ?? {};
  expect(object.status.applied).toMatchObject({ generation: 2, requestId });
  const note = `Normal Applied: Applied engine_max_threads 8 → 16 (request ${requestId})`;
  expect(await doneFor('edited')).toEqual({ puts: 2, writes: 2, notes: [note] });
});

test('labels, other annotations and finalizers of others cost nothing', async () => {
  const before = await applied('labelled');
  for (const added of [
    { labels: { team: 'ingest' } },
    { annotations: { 'example.com/note': 'x' } },
    { finalizers: ['example.com/hold'] },
    { finalizers: [] },
  ])
    await change(scene.psets.pathTo('labelled'), (stored) => ({
      ...stored,
      metadata: { ...stored.metadata, ...added },
    }));
  expect(await doneFor('labelled')).toEqual({ puts: 1, writes: 1, notes: [] });
  expect((await scene.psets.get('labelled')).status).toEqual(before.status);
});

test('deletion makes no call, waits for nobody and leaves the pipe as it is', async () => {
  await applied('leaving', threads(32));
  await succeed(['delete', 'pset/leaving', '-n', scene.namespace, '--timeout=20s']);
  await settled(scene);
  expect(scene.simulator.calls({ pathIncludes: pathOf('leaving') })).toHaveLength(1);
  expect(scene.simulator.settingsOf(pipe('leaving'))).toEqual({ engine_max_threads: 32 });
});

test('suspended, nothing is sent and Ready says whether what is declared is confirmed', async () => {
  await applied('resting');
  await scene.psets.create('resting', { suspend: true });
  const held = await scene.psets.until('resting', 'Suspended');
  expect(ready(held)).toMatchObject({
    status: 'True',
    message:
      'Suspended: no call is made while spec.suspend is true. The declared state is the one last confirmed',
  });
  await scene.psets.create('resting', { ...threads(9), suspend: true });
  const open = await scene.psets.until('resting', 'Suspended');
  expect(ready(open).status).toBe('False');
  expect(ready(open).message).toContain('Set spec.suspend to false to send it');
  await scene.psets.request('resting');
  expect((await doneFor('resting')).puts).toBe(1);
  await applied('resting', threads(9));
  expect(bodiesOf('resting').at(-1)).toEqual({ engine_max_threads: 9 });
});

test('in Plan mode nothing is sent, and the status has what would be', async () => {
  await applied('planned');
  await scene.psets.create('planned', { ...threads(9), mode: 'Plan' });
  const object = await scene.psets.until('planned', 'Planned');
  expect(ready(object)).toMatchObject({
    status: 'False',
    message: expect.stringMatching(
      /^1 change planned; not sent: .*set spec\.mode to Apply to send/,
    ),
  });
  expect(object.status['plan']).toMatchObject({
    basis: 'LastResponse',
    requests: [{ method: 'PUT', body: '{"engine_max_threads":9}' }],
    changes: [{ field: 'engine_max_threads', from: 8, to: 9 }],
  });
  await scene.psets.create('planned', { ...threads(8), mode: 'Plan' });
  const empty = await scene.psets.until('planned', 'Planned');
  expect(ready(empty)).toMatchObject({
    status: 'True',
    message: expect.stringMatching(/^No changes; not sent/),
  });
  expect((await doneFor('planned')).puts).toBe(1);
});

test('drift of what is not declared is told by event, status and metric', async () => {
  await applied('drifting');
  scene.simulator.setSettings(pipe('drifting'), { engine_max_insert_threads: 7 });
  const { status } = await applied('drifting', { reassertInterval: '10m' });
  expect(status['drift']).toMatchObject([{ field: 'engine_max_insert_threads', to: 7 }]);
  expect((await doneFor('drifting')).notes).toEqual([
    expect.stringMatching(/^Warning DriftDetected: .*engine_max_insert_threads \d+ → 7$/),
  ]);
  const page = await scene.operator().page('metrics');
  expect(metric(page, 'pipewright_drift_total')).toBe(1);
});
