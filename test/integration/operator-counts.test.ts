import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { change } from '../support/cluster.ts';
import { startInner } from '../support/inner-operator.ts';
import { openScene, type Scene } from '../support/scene.ts';
import {
  objectUntil,
  putsOf,
  putsUntil,
  settled,
  writesOf,
  writesTo,
} from '../support/watching.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

/** What the operator did for one object: calls, writes to its status, events about it. */
async function doneFor(name: string, where = scene) {
  await settled(where);
  const [writes, events] = await Promise.all([writesTo(where, name), where.events(name)]);
  for (const write of writes)
    expect(write).toMatchObject({ verb: 'update', subresource: 'status', code: 200 });
  return {
    puts: putsOf(where, name).length,
    writes: writes.length,
    events: events.map(({ reason }) => reason),
  };
}

test('a new object costs one PUT, one write of its status and no event', async () => {
  await scene.pset('new');
  await scene.until('new', 'Applied');
  expect(await doneFor('new')).toEqual({ puts: 1, writes: 1, events: [] });
});

test('an edit costs one PUT, one write and one event', async () => {
  await scene.pset('edited');
  await scene.until('edited', 'Applied');
  await scene.pset('edited', { settings: { engine_max_threads: 16 } });
  await scene.until('edited', 'Applied');
  await waitFor(() => scene.events('edited'), {
    what: 'the event',
    until: ({ length }) => length > 0,
  });
  expect(await doneFor('edited')).toEqual({ puts: 2, writes: 2, events: ['Applied'] });
});

test('a re-assert that changes nothing costs one PUT, one write and no event, and adds no history', async () => {
  const scene = await openScene({ start: false });
  const operator = await startInner(scene);
  onTestFinished(async () => {
    await operator.stop();
    await scene.end();
  });
  await scene.pset('asserted', { reassertInterval: '24h' });
  const first = await scene.until('asserted', 'Applied');
  operator.clock.advance(27 * 3_600_000);
  await putsUntil(scene, 'asserted', 2);
  const again = await objectUntil(
    scene,
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
  await scene.pset('labelled');
  const before = await scene.until('labelled', 'Applied');
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
  expect((await scene.get('labelled')).status).toEqual(before.status);
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
