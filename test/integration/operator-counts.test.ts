import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { change, writesOf } from '../support/cluster.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { settled } from '../support/watching.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

/** What the operator did for one object: calls, writes to its status, events about it. */
async function doneFor(name: string, where = scene) {
  await settled(where);
  const [writes, events] = await Promise.all([where.psets.writes(name), where.events(name)]);
  for (const write of writes)
    expect(write).toMatchObject({ verb: 'update', subresource: 'status', code: 200 });
  return {
    puts: where.psets.puts(name).length,
    writes: writes.length,
    events: events.map(({ reason }) => reason),
  };
}

test('a new object costs one PUT, one write of its status and no event', async () => {
  await scene.psets.create('new');
  await scene.psets.until('new', 'Applied');
  expect(await doneFor('new')).toEqual({ puts: 1, writes: 1, events: [] });
});

test('an edit costs one PUT, one write and one event', async () => {
  await scene.psets.create('edited');
  await scene.psets.until('edited', 'Applied');
  await scene.psets.create('edited', { settings: { engine_max_threads: 16 } });
  await scene.psets.until('edited', 'Applied');
  await waitFor(() => scene.events('edited'), {
    what: 'the event',
    until: ({ length }) => length > 0,
  });
  expect(await doneFor('edited')).toEqual({ puts: 2, writes: 2, events: ['Applied'] });
});

test('a re-assert that changes nothing costs one PUT, one write and no event, and adds no history', async () => {
  const scene = await openScene({ start: false });
  const operator = await scene.startInner();
  onTestFinished(async () => {
    await scene.end();
  });
  await scene.psets.create('asserted', { reassertInterval: '24h' });
  const first = await scene.psets.until('asserted', 'Applied');
  operator.clock.advance(27 * 3_600_000);
  await scene.psets.putsUntil('asserted', 2);
  const again = await scene.psets.untilIt(
    'asserted',
    'the second PUT in its status',
    ({ status }) => status.applied?.requestId !== first.status.applied?.requestId,
  );
  expect(again.status['history']).toEqual(first.status['history']);
  expect(again.status.conditions[0]?.lastTransitionTime).toBe(
    first.status.conditions[0]?.lastTransitionTime,
  );
  expect(await doneFor('asserted', scene)).toEqual({ puts: 2, writes: 2, events: [] });
});

test('labels, other annotations and finalizers of others cost nothing', async () => {
  await scene.psets.create('labelled');
  const before = await scene.psets.until('labelled', 'Applied');
  const path = `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/pipesettings/labelled`;
  for (const added of [
    { labels: { team: 'ingest' } },
    { annotations: { 'example.com/note': 'x' } },
    { finalizers: ['example.com/hold'] },
    { finalizers: [] },
  ]) {
    await change(path, (stored) => ({ ...stored, metadata: { ...stored.metadata, ...added } }));
  }
  expect(await doneFor('labelled')).toEqual({ puts: 1, writes: 1, events: [] });
  expect((await scene.psets.get('labelled')).status).toEqual(before.status);
});

test('writes nothing but status and events, and is refused nothing', async () => {
  await settled(scene);
  const writes = await writesOf(scene.user);
  const kinds = new Set(
    writes.map(({ verb, resource, subresource }) => `${verb} ${resource}/${subresource}`),
  );
  expect([...kinds].toSorted()).toEqual(['create events/', 'update pipesettings/status']);
  expect(writes.filter(({ code }) => code >= 300)).toEqual([]);
});
