import { afterAll, beforeAll, expect, test } from 'vitest';
import { kubectl, waitFor } from '../controlplane/client.ts';
import type { Activities } from '../support/activities.ts';
import { asAdmin } from '../support/cluster.ts';
import { kstatus } from '../support/kstatus.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { expectCurrent, metric, ready, settled, side } from '../support/watching.ts';

let scene: Scene;
let acts: Activities;
beforeAll(async () => {
  scene = await openScene();
  acts = scene.acts;
});
afterAll(() => scene.end());

/** What the operator did for one object: calls, writes to its status, events about it. */
interface Done {
  readonly calls: number;
  readonly writes: number;
  readonly events: readonly string[];
}

/**
 * This it did and no more. A status shows before the write of it is in the audit log and before the
 * event that goes with it.
 */
async function expectDone(name: string, expected: Done): Promise<void> {
  await settled(scene);
  const [writes, events] = await waitFor(
    () => Promise.all([acts.writes(name), scene.events(name)]),
    {
      what: `what was done for ${name}`,
      until: ([written, told]) =>
        written.length >= expected.writes && told.length >= expected.events.length,
    },
  );
  for (const write of writes)
    expect(write).toMatchObject({ verb: 'update', subresource: 'status', code: 200 });
  expect({
    calls: acts.calls(name).length,
    writes: writes.length,
    events: events.map(({ reason }) => reason).toSorted(),
  }).toEqual(expected);
}

test('a record costs one GET, one write and no event, and all ten fields are in the status', async () => {
  const record = acts.record('plain');
  await acts.create('plain');
  const object = await acts.until('plain', 'Fetched');
  expect(object.status.activity).toEqual(record);
  expect(Object.keys(record)).toHaveLength(10);
  expect(ready(object)).toMatchObject({
    status: 'True',
    message: expect.stringContaining('The record is in status.activity'),
  });
  expect(side(object)).toBeUndefined();
  expect(kstatus(object)).toBe('Current');
  expectCurrent(object);
  const [call] = acts.calls('plain');
  expect(call).toMatchObject({
    method: 'GET',
    path: `/v1/organizations/${ORGANIZATION}/activities/plain`,
    text: '',
  });
  expect(object.status.lastRequest).toEqual({
    operation: 'GetActivity',
    requestId: call?.requestId,
    httpStatus: 200,
    outcome: 'Succeeded',
    time: expect.stringMatching(/Z$/),
  });
  expect(object.status.nextAttemptTime).toBeUndefined();
  await expectDone('plain', { calls: 1, writes: 1, events: [] });
});

test('before the first visit it is in progress for everybody', async () => {
  const path = acts.pathTo('pending').replace('/pending', '?dryRun=All');
  const spec = {
    organizationId: ORGANIZATION,
    activityId: 'x',
    credentialsSecretRef: { name: 'management-api' },
  };
  const object = {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'Activity',
    metadata: { name: 'pending' },
    spec,
  };
  const created = await asAdmin<Awaited<ReturnType<Activities['get']>>>('POST', path, object);
  expect(ready(created)).toMatchObject({ status: 'Unknown', reason: 'Pending' });
  expect(kstatus(created)).toBe('InProgress');
});

test('a fetched one is never fetched again: not after an edit, suspension, another Secret, a new key or a restart', async () => {
  acts.record('once');
  await scene.newKey('first');
  await scene.newKey('second');
  await acts.create('once', { credentialsSecretRef: { name: 'first' } });
  const before = await acts.until('once', 'Fetched');

  await acts.create('once', { credentialsSecretRef: { name: 'second' } });
  const edited = await acts.until('once', 'Fetched');
  expectCurrent(edited);
  const [condition] = edited.status.conditions;
  expect(edited.status).toEqual({
    ...before.status,
    observedGeneration: 2,
    conditions: [{ ...before.status.conditions[0], observedGeneration: 2 }],
  });
  expect(condition?.lastTransitionTime).toBe(ready(before).lastTransitionTime);

  await acts.create('once', { credentialsSecretRef: { name: 'second' }, suspend: true });
  const suspended = await acts.until('once', 'Suspended');
  expect(ready(suspended).status).toBe('True');
  expect(kstatus(suspended)).toBe('Current');
  await acts.create('once', { credentialsSecretRef: { name: 'second' } });
  const resumed = await acts.until('once', 'Fetched');

  await scene.newKey('second');
  await scene.removeSecret('second');
  await expectDone('once', { calls: 1, writes: 4, events: [] });
  await scene.operator().stop();
  await scene.start();
  await expectDone('once', { calls: 1, writes: 4, events: [] });
  expect((await acts.get('once')).metadata.resourceVersion).toBe(resumed.metadata.resourceVersion);
});

test('the annotation fetches again; a failure of that keeps the record, and the object Ready', async () => {
  acts.record('again', { fields: { type: 'before' } });
  await acts.create('again');
  await acts.until('again', 'Fetched');

  acts.record('again', { fields: { type: 'after' } });
  const first = await acts.request('again');
  const object = await acts.untilIt(
    'again',
    'the other record',
    ({ status }) => status.activity?.['type'] === 'after',
  );
  expect(object.status.lastHandledReconcileAt).toBe(first);
  await expectDone('again', { calls: 2, writes: 2, events: [] });

  scene.simulator.next(
    { status: 403, error: 'FORBIDDEN: not for you' },
    { match: { pathIncludes: '/again' } },
  );
  const second = await acts.request('again');
  const failed = await acts.untilIt(
    'again',
    'told',
    ({ status }) => status.lastHandledReconcileAt === second,
  );
  expect(failed.status).toMatchObject({
    activity: { type: 'after' },
    lastRequest: { httpStatus: 403 },
  });
  expect(ready(failed)).toMatchObject({
    status: 'True',
    message: expect.stringContaining('not for you'),
  });
  expect(kstatus(failed)).toBe('Current');
  expect(failed.status.nextAttemptTime).toBeUndefined();

  const third = await acts.request('again');
  await acts.untilIt('again', 'fetched', ({ status }) => status.lastHandledReconcileAt === third);
  await expectDone('again', { calls: 4, writes: 4, events: ['Forbidden'] });
});

test('suspended it makes no call, also not for the annotation, and is not Ready without a record', async () => {
  acts.record('paused');
  await acts.create('paused', { suspend: true });
  const paused = await acts.until('paused', 'Suspended');
  expect(ready(paused)).toMatchObject({
    status: 'False',
    message: expect.stringContaining('has not been fetched'),
  });
  expect(kstatus(paused)).toBe('InProgress');
  const value = await acts.request('paused');
  await acts.untilIt(
    'paused',
    'acknowledged',
    ({ status }) => status.lastHandledReconcileAt === value,
  );
  expect(acts.calls('paused')).toEqual([]);
  await acts.create('paused');
  await acts.until('paused', 'Fetched');
  await expectDone('paused', { calls: 1, writes: 3, events: [] });
});

test('two objects fetch one record, each once, and neither waits for the other', async () => {
  const record = acts.record('shared');
  scene.simulator.next({ hold: true }, { match: { pathIncludes: '/activities/shared' } });
  await acts.create('first-of-two', { activityId: 'shared' });
  await scene.simulator.waitForCalls(1, { match: { pathIncludes: '/activities/shared' } });
  await acts.create('second-of-two', { activityId: 'shared' });
  const second = await acts.until('second-of-two', 'Fetched');
  expect(ready(await acts.get('first-of-two')).reason).toBe('Pending');
  scene.simulator.release();
  const first = await acts.until('first-of-two', 'Fetched');
  for (const { status } of [first, second]) expect(status.activity).toEqual(record);
  expect(acts.calls('shared')).toHaveLength(2);
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

test('without a Secret it waits for one; with it, it goes on at once', async () => {
  acts.record('keyless');
  await acts.create('keyless', { credentialsSecretRef: { name: 'not-yet' } });
  const waiting = await acts.until('keyless', 'SecretNotFound');
  expect(kstatus(waiting)).toBe('InProgress');
  await scene.newKey('not-yet');
  await acts.until('keyless', 'Fetched');
  expect(acts.calls('keyless')).toHaveLength(1);
});

test('the columns say what stands in the status', async () => {
  acts.record('columns');
  await acts.create('columns');
  const { status } = await acts.until('columns', 'Fetched');
  const print = async (...more: string[]): Promise<string[][]> => {
    const { stdout } = await kubectl([
      'get',
      'activities',
      'columns',
      '-n',
      scene.namespace,
      ...more,
    ]);
    const lines = stdout.trimEnd().split('\n');
    return lines.map((line) => line.split(/ {2,}/));
  };
  const [head, row] = await print();
  expect(head).toEqual(['NAME', 'READY', 'REASON', 'TYPE', 'ACTOR', 'CREATED', 'AGE']);
  expect(row?.slice(0, 6)).toEqual([
    'columns',
    'True',
    'Fetched',
    'create_organization',
    'actor-columns-9c41',
    '2026-02-28T23:59:58.123Z',
  ]);
  expect(row?.[6]).toMatch(/^\d+s$/);
  const [wideHead, wide] = await print('-o', 'wide');
  expect(wideHead?.slice(7)).toEqual([
    'STALLED',
    'ORGANIZATION',
    'ACTIVITY',
    'REQUEST ID',
    'NEXT ATTEMPT',
    'MESSAGE',
  ]);
  expect(wide?.join('  ')).toContain(status.lastRequest?.requestId);
  expect(wide?.join('  ')).toContain('The record is in status.activity');
  const short = await kubectl(['get', 'pact', '-n', scene.namespace, '-o', 'name']);
  expect(short.stdout).toContain('activity.pipewright.dev/columns');
});

test('it is counted and timed like every other kind', async () => {
  const page = await scene.operator().page('metrics');
  expect(
    metric(page, 'pipewright_api_requests_total', { operation: 'GetActivity', code: '200' }),
  ).toBeGreaterThan(0);
  expect(
    metric(page, 'pipewright_resource_ready', { kind: 'Activity', reason: 'Fetched' }),
  ).toBeGreaterThan(0);
});

test('the operator was refused nothing, and wrote nothing but status and events', async () => {
  await settled(scene);
  for (const name of ['plain', 'once', 'again']) {
    for (const write of await acts.writes(name))
      expect(write).toMatchObject({ subresource: 'status', code: 200 });
  }
  expect(scene.operator().lines.filter(({ level }) => level === 'error')).toEqual([]);
});
