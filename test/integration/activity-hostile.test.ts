import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import type { Fault } from '../simulator/types.ts';
import type { Activities } from '../support/activities.ts';
import { leaks } from '../support/canary.ts';
import { asAdmin } from '../support/cluster.ts';
import { kstatus } from '../support/kstatus.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { ready, settled, side } from '../support/watching.ts';

let scene: Scene;
let acts: Activities;
beforeAll(async () => {
  scene = await openScene({ logLevel: 'trace', flags: ['--api-timeout', '5s'] });
  acts = scene.acts;
});
afterAll(() => scene.end());

test('fields that the reply does not have stay missing', async () => {
  acts.record('sparse', { fields: { type: 'create_organization', actorId: null } });
  await acts.create('sparse');
  const object = await acts.until('sparse', 'Fetched');
  expect(object.status.activity).toEqual({ id: 'sparse', type: 'create_organization' });
  expect(ready(object).message).toContain('with 2 of its 10 fields');
});

test('types and actors that the document does not name are kept as they are', async () => {
  const fields = {
    createdAt: 'last Tuesday',
    type: 'fold_space/2',
    actorType: 'ghost',
    actorIpAddress: 'fe80::1%eth0',
  };
  acts.record('strange', { fields });
  await acts.create('strange');
  expect((await acts.until('strange', 'Fetched')).status.activity).toEqual({
    id: 'strange',
    ...fields,
  });
});

test('fields of the wrong type, too long, or of characters that nobody expects are stored all the same', async () => {
  const fields = {
    createdAt: 1_772_323_200,
    type: false,
    actorType: ['user'],
    actorId: { id: 7 },
    actorDetails: '🙂'.repeat(9_000),
    userAgent: 'a\u0000b\u001b[31mc\u2028d\ud800e',
    organizationId: '',
    serviceId: 1e300,
  };
  acts.record('wrong', { fields });
  await acts.create('wrong');
  const { status } = await acts.until('wrong', 'Fetched');
  expect(status.activity).toEqual({
    id: 'wrong',
    createdAt: '1772323200',
    type: 'false',
    actorType: '["user"]',
    actorId: '{"id":7}',
    actorDetails: `${'🙂'.repeat(1_023)}…`,
    userAgent: 'a\u0000b\u001b[31mc\u2028d\ufffde',
    organizationId: '',
    serviceId: '1e+300',
  });
});

const odd = { reason: 'UnexpectedResponse', side: 'Reconciling' };
const gone = { reason: 'Unavailable', side: 'Reconciling' };
const REPLIES: readonly {
  name: string;
  fault: Fault;
  reason: string;
  side: string;
  says: RegExp;
}[] = [
  {
    name: 'megabytes',
    fault: { status: 200, body: 'megabytes' },
    ...odd,
    says: /larger than 1 MiB/,
  },
  { name: 'html', fault: { status: 200, body: 'html' }, ...odd, says: /not JSON.*--api-url/ },
  { name: 'no-result', fault: { status: 200, body: 'no-result' }, ...odd, says: /no result/ },
  { name: 'nothing', fault: { status: 200, body: 'empty' }, ...odd, says: /empty/ },
  { name: 'redirect', fault: { status: 302 }, ...odd, side: 'Stalled', says: /never followed/ },
  {
    name: 'too-short',
    fault: { status: 400, error: 'BAD_REQUEST: length is too small: 8 < 20' },
    reason: 'Rejected',
    side: 'Reconciling',
    says: /too small: 8 < 20.*can appear minutes late/,
  },
  {
    name: 'forbidden',
    fault: { status: 403, error: 'FORBIDDEN: no' },
    reason: 'Forbidden',
    side: 'Stalled',
    says: /may read activities/,
  },
  {
    name: 'busy',
    fault: { status: 409, error: 'busy' },
    reason: 'Conflict',
    side: 'Reconciling',
    says: /409/,
  },
  {
    name: 'broken',
    fault: { status: 500, error: 'oops' },
    ...gone,
    says: /HTTP 500.*Reading changes nothing/,
  },
  { name: 'reset', fault: { transport: 'reset-after' }, ...gone, says: /closed the connection/ },
  { name: 'silence', fault: { transport: 'no-answer' }, ...gone, says: /no answer within 5s/ },
];

test.each(REPLIES)(
  '$name is $reason, and what was wrong is said',
  async ({ name, fault, reason, side: which, says }) => {
    acts.record(name);
    scene.simulator.always(fault, { pathIncludes: `/activities/${name}` });
    await acts.create(name);
    const object = await acts.until(name, reason);
    expect(side(object)).toBe(which);
    expect(ready(object).message).toMatch(says);
    expect(kstatus(object)).toBe(which === 'Stalled' ? 'Failed' : 'InProgress');
    expect(object.status.activity).toBeUndefined();
    expect(object.status.nextAttemptTime).toBeDefined();
    scene.simulator.clear();
    await acts.request(name);
    expect((await acts.until(name, 'Fetched')).status.activity?.['id']).toBe(name);
  },
);

test('a result that is no record is asked for again', async () => {
  scene.simulator.setActivity(ORGANIZATION, { id: 'unlike' });
  scene.simulator.play({ activity: { omit: ['id'] } });
  await acts.create('unlike');
  const object = await acts.until('unlike', 'UnexpectedResponse');
  expect(ready(object).message).toContain('no field of an activity');
  scene.simulator.play({ activity: { omit: [] } });
  await acts.request('unlike');
  await acts.until('unlike', 'Fetched');
});

test('what a record holds is in the status of its object and nowhere else', async () => {
  acts.record('secretive', { lateCalls: 1 });
  await acts.create('secretive');
  await acts.until('secretive', 'NotFound');
  await acts.request('secretive');
  const { status } = await acts.until('secretive', 'Fetched');
  const about = `/apis/events.k8s.io/v1/namespaces/${scene.namespace}/events`;
  await settled(scene);
  const events = await waitFor(() => asAdmin<object>('GET', about), {
    what: 'the event of the recovery',
    until: (all) => JSON.stringify(all).includes('Fetched the record after NotFound'),
  });
  expect(status.activity).toMatchObject({ actorIpAddress: '203.0.113.77' });
  const operator = scene.operator();
  expect(operator.lines.some(({ level }) => level === 'debug')).toBe(true);
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
