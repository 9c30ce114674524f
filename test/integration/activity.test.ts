import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectl, waitFor } from '../controlplane/client.ts';
import type { Activities } from '../support/activities.ts';
import { leaks } from '../support/canary.ts';
import { asAdmin } from '../support/cluster.ts';
import { metric } from '../support/exposition.ts';
import { kstatus } from '../support/kstatus.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { expectCurrent, ready, settled } from '../support/watching.ts';

/** What an Activity has to do with Kubernetes, and where its record must not go. */

let scene: Scene;
let acts: Activities;
beforeAll(async () => {
  scene = await openScene({ logLevel: 'trace' });
  acts = scene.acts;
});
afterAll(() => scene.end());

test('a record costs one GET, one write and no event, and all ten fields are in the status', async () => {
  const record = acts.record('plain');
  await acts.create('plain');
  const object = await acts.until('plain', 'Fetched');
  expect(object.status.activity).toEqual(record);
  expect(Object.keys(record)).toHaveLength(10);
  expect(kstatus(object)).toBe('Current');
  expectCurrent(object);
  const calls = acts.calls('plain');
  expect(calls).toMatchObject([
    { method: 'GET', path: `/v1/organizations/${ORGANIZATION}/activities/plain`, text: '' },
  ]);
  expect(object.status.lastRequest).toEqual({
    operation: 'GetActivity',
    requestId: calls[0]?.requestId,
    httpStatus: 200,
    outcome: 'Succeeded',
    time: expect.stringMatching(/Z$/),
  });
  await settled(scene);
  const writes = await waitFor(() => acts.writes('plain'), {
    what: 'the write in the audit log',
    until: ({ length }) => length > 0,
  });
  expect(writes).toMatchObject([{ verb: 'update', subresource: 'status', code: 200 }]);
  expect(await scene.events('plain')).toEqual([]);
  const page = await scene.operator().page('metrics');
  expect(
    metric(page, 'pipewright_api_requests_total', { operation: 'GetActivity', code: '200' }),
  ).toBe(1);
  const labels = { kind: 'Activity', namespace: scene.namespace, ready: 'True', reason: 'Fetched' };
  expect(metric(page, 'pipewright_resources', labels)).toBe(1);
});

test('a fetched one is never fetched again: not after an edit, another Secret or a restart', async () => {
  acts.record('once');
  await scene.newKey('second');
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
});

test('deletion makes no call and waits for nobody', async () => {
  acts.record('leaving');
  await acts.create('leaving');
  await acts.until('leaving', 'Fetched');
  // With a finalizer the server would answer with the object and its deletionTimestamp.
  expect(await asAdmin('DELETE', acts.pathTo('leaving'))).toMatchObject({ status: 'Success' });
  await settled(scene);
  expect(acts.calls('leaving')).toHaveLength(1);
});

test('the columns say what stands in the status', async () => {
  acts.record('columns');
  await acts.create('columns');
  const { status } = await acts.until('columns', 'Fetched');
  const { stdout } = await kubectl(['get', 'pact', 'columns', '-n', scene.namespace, '-o', 'wide']);
  const [head, row] = stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(head?.slice(0, 7)).toEqual(['NAME', 'READY', 'REASON', 'TYPE', 'ACTOR', 'CREATED', 'AGE']);
  expect(row?.slice(0, 6)).toEqual([
    'columns',
    'True',
    'Fetched',
    'create_organization',
    'actor-columns-9c41',
    '2026-02-28T23:59:58.123Z',
  ]);
  expect(row?.join('  ')).toContain(status.lastRequest?.requestId);
  expect(row?.join('  ')).toContain('The record is in status.activity');
});

test('what a record holds is in the status of its object and nowhere else', async () => {
  acts.record('secretive', { lateCalls: 1 });
  await acts.create('secretive');
  expect(ready(await acts.until('secretive', 'NotFound')).status).toBe('False');
  await acts.request('secretive');
  const { status } = await acts.until('secretive', 'Fetched');
  const about = `/apis/events.k8s.io/v1/namespaces/${scene.namespace}/events`;
  await settled(scene);
  const events = await waitFor(() => asAdmin<object>('GET', about), {
    what: 'the event of the recovery',
    until: (all) => JSON.stringify(all).includes('Fetched the record after NotFound'),
  });
  const operator = scene.operator();
  expect(operator.lines.some(({ level }) => level === 'debug')).toBe(true);
  expect(operator.lines.filter(({ level }) => level === 'error')).toEqual([]);
  const { metadata, conditions, lastRequest } = { ...(await acts.get('secretive')), ...status };
  const texts = {
    log: operator.output(),
    events: JSON.stringify(events),
    metrics: await operator.page('metrics'),
    readyz: await operator.page('readyz'),
    conditions: JSON.stringify([conditions, lastRequest]),
    metadata: JSON.stringify({ ...metadata, managedFields: undefined }),
  };
  const told = [
    'createdAt',
    'actorId',
    'actorDetails',
    'actorIpAddress',
    'serviceId',
    'userAgent',
  ].map((name) => status.activity?.[name] ?? '');
  expect(told.every(({ length }) => length > 10)).toBe(true);
  expect(leaks(texts, told)).toEqual([]);
});
