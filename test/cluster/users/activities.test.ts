import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import type { Activities } from '../../support/activities.ts';
import { leaks } from '../../support/canary.ts';
import { kstatus } from '../../support/kstatus.ts';
import { printedTable } from '../../support/kubectl.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { ORGANIZATION } from '../../support/scene-objects.ts';
import { expectCurrent, ready, settled } from '../../support/watching.ts';

/** A record is fetched once, and stands in the status of its object and nowhere else. */

let scene: Scene;
let acts: Activities;
beforeAll(async () => {
  scene = await openScene({ flags: ['--log-level=trace'] });
  acts = scene.acts;
});
afterAll(() => scene.end());

test('a record costs one GET, one write and no event, and all ten fields are in the status', async () => {
  const record = acts.record('plain');
  await acts.create('plain');
  const object = await acts.until('plain', 'Fetched');
  expect(object.status.activity).toEqual(record);
  expect(Object.keys(record)).toHaveLength(10);
  expectCurrent(object);
  expect([kstatus(object), ready(object).message]).toEqual([
    'Current',
    expect.stringContaining('The record is in status.activity'),
  ]);
  const path = `/v1/organizations/${ORGANIZATION}/activities/plain`;
  expect(acts.calls('plain')).toMatchObject([{ method: 'GET', path, text: '' }]);
  const [row] = await printedTable(['pact', 'plain', '-n', scene.namespace]);
  expect(row).toMatchObject({
    READY: 'True',
    REASON: 'Fetched',
    TYPE: 'create_organization',
    ACTOR: 'actor-plain-9c41',
    CREATED: '2026-02-28T23:59:58.123Z',
  });
  await settled(scene);
  expect(await acts.writes('plain')).toMatchObject([{ verb: 'update', subresource: 'status' }]);
  expect(await scene.events('plain')).toEqual([]);
});

test('it is not fetched while suspended, nor again after an edit, with another Secret or after a restart; asked for, it is; deleted, it makes no call', async () => {
  acts.record('once');
  await scene.newKey('second');
  await acts.create('once', { suspend: true });
  await acts.until('once', 'Suspended');
  expect(acts.calls('once')).toEqual([]);
  await acts.create('once');
  await acts.until('once', 'Fetched');
  await acts.create('once', { credentialsSecretRef: { name: 'second' } });
  const edited = await acts.until('once', 'Fetched');
  expectCurrent(edited);
  await scene.newKey('second');
  await scene.operator().stop();
  await scene.start();
  await settled(scene);
  expect((await acts.get('once')).metadata.resourceVersion).toBe(edited.metadata.resourceVersion);
  expect(acts.calls('once')).toHaveLength(1);
  const asked = await acts.request('once');
  await acts.untilIt('once', 'asked', ({ status }) => status.lastHandledReconcileAt === asked);
  await acts.remove('once');
  await acts.untilGone('once');
  await settled(scene);
  expect(acts.calls('once')).toHaveLength(2);
});

test('what a record holds is in the status of its object and nowhere else', async () => {
  acts.record('secretive', { lateCalls: 1 });
  await acts.create('secretive');
  await acts.until('secretive', 'NotFound');
  await acts.request('secretive');
  const { status } = await acts.until('secretive', 'Fetched');
  const events = await waitFor(() => scene.events('secretive'), {
    what: 'the event of the recovery',
    until: (all) => all.some(({ note }) => note.includes('Fetched the record after NotFound')),
  });
  const operator = scene.operator();
  const { conditions, lastRequest } = status;
  const texts = {
    log: operator.output(),
    events: JSON.stringify(events),
    metrics: await operator.page('metrics'),
    readyz: await operator.page('readyz'),
    conditions: JSON.stringify([conditions, lastRequest]),
  };
  expect(texts.log.length).toBeGreaterThan(1_000);
  const fields = [
    'createdAt',
    'actorId',
    'actorDetails',
    'actorIpAddress',
    'serviceId',
    'userAgent',
  ];
  const values = fields.map((field) => status.activity?.[field] ?? '');
  expect(values.every(({ length }) => length > 10)).toBe(true);
  expect(leaks(texts, values)).toEqual([]);
  expect(operator.lines.filter(({ level }) => level === 'error')).toEqual([]);
});
