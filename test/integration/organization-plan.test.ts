import { beforeEach, describe, expect, test } from 'vitest';
import { strangers } from '../simulator/organization-types.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import { endpoint, type Org, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
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

/** What is asked before anything is sent. */
const LOOK = '{"privateEndpoints":{"add":[],"remove":[]}}';

type Spec = Readonly<Record<string, unknown>>;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeEach(async () => {
  scene = await openScene({
    start: 'inner',
    clock: slowClock(),
    holds: { add: [endpoint('theirs'), endpoint('found')] },
  });
  ({ orgs } = scene);
  operator = scene.inner();
  return () => scene.end();
});

function planOf({ status }: Org): ShownPlan {
  return status['plan'] as ShownPlan;
}

function list(...ids: readonly string[]) {
  return { privateEndpoints: ids.map((id) => endpoint(id)) };
}

async function applied(spec: Spec): Promise<Org> {
  await orgs.create('acme', spec);
  return orgs.until('acme', 'Applied');
}

/**
 * Plans, proves that nothing leaves and nothing but the status is written, and gives the object.
 */
async function planned(spec: Spec): Promise<Org> {
  const calls = orgs.patches().length;
  await orgs.create('acme', { mode: 'Plan', ...spec });
  const object = await orgs.until('acme', 'Planned');
  const { basis, changes } = planOf(object);
  const mayBeEmpty = basis === 'LastResponse' && changes.length === 0;
  expect(mayBeEmpty ? ['True', 'False'] : ['False']).toContain(ready(object).status);
  expect(side(object)).toBeUndefined();
  expectCurrent(object);
  await settled(scene, operator);
  expect(orgs.patches()).toHaveLength(calls);
  return object;
}

/** What Apply sends for this spec, in the form of a plan's requests, until it is through. */
async function sent(
  spec: Spec,
  reason = 'Applied',
): Promise<{ readonly requests: unknown; readonly object: Org }> {
  const before = orgs.calls().length;
  await orgs.create('acme', { mode: 'Apply', ...spec });
  const object = await orgs.until('acme', reason);
  const requests = orgs
    .calls()
    .slice(before)
    .map(({ method, path, text }) => ({ method, path, body: text }));
  return { requests, object };
}

describe('a plan that knows nothing of the API', () => {
  test.each([
    { what: 'a name', spec: { name: 'Acme' }, bodies: [LOOK, '{"name":"Acme"}'] },
    { what: 'a list', spec: list('found', 'ours'), bodies: [LOOK] },
    { what: 'both', spec: { name: 'Acme', ...list('ours') }, bodies: [LOOK] },
  ])(
    'of $what says so, and shows to the byte what Apply then asks first',
    async ({ spec, bodies }) => {
      const object = await planned({ deletionPolicy: 'RemovePrivateEndpoints', ...spec });
      const plan = planOf(object);
      expect(plan.basis).toBe('Unknown');
      const path = `/v1/organizations/${ORGANIZATION}`;
      expect(plan.requests).toEqual(bodies.map((body) => ({ method: 'PATCH', path, body })));
      expect(ready(object).message).toMatch(/not known yet/);
      expect(object.metadata.finalizers).toBeUndefined();
      expect(object.status.privateEndpoints).toBeUndefined();
      expect(object.status.pendingChange).toBeUndefined();
      const { requests, object: done } = await sent(spec);
      expect(requests).toMatchObject({ 0: plan.requests[0] });
      expect(done.status['plan']).toBeUndefined();
      expect(done.status.applied?.['requestHash']).toBe(plan.hash);
    },
  );

  test('needs no Secret and no API', async () => {
    await scene.simulator.down();
    await orgs.create('acme', {
      mode: 'Plan',
      credentialsSecretRef: { name: 'nowhere' },
      ...list('ours'),
    });
    expect(ready(await orgs.until('acme', 'Planned')).status).toBe('False');
    await scene.simulator.up();
  });
});

describe('a plan after a reply', () => {
  const before = { name: 'Acme', ...list('found', 'kept', 'dropped') };
  test.each<{ readonly what: string; readonly spec: Spec; readonly changes: Spec[] }>([
    {
      what: 'another name',
      spec: { ...before, name: 'Acme Data' },
      changes: [{ field: 'name', from: 'Acme', to: 'Acme Data' }],
    },
    {
      what: 'one more endpoint and one less',
      spec: {
        name: 'Acme',
        privateEndpoints: [
          endpoint('found'),
          endpoint('kept'),
          endpoint('more', { description: 'new "VPC" ü' }),
        ],
      },
      changes: [
        { field: 'privateEndpoints[more]', to: 'gcp/ap-northeast-1' },
        { field: 'privateEndpoints[dropped]', from: 'gcp/ap-northeast-1' },
      ],
    },
    {
      what: 'an endpoint in another region',
      spec: {
        name: 'Acme',
        privateEndpoints: [
          ...list('found', 'kept').privateEndpoints,
          endpoint('dropped', { region: 'us-east-1' }),
        ],
      },
      changes: [
        { field: 'privateEndpoints[dropped]', to: 'gcp/us-east-1' },
        { field: 'privateEndpoints[dropped]', from: 'gcp/ap-northeast-1' },
      ],
    },
    {
      what: 'the name no longer',
      spec: list('found', 'kept', 'dropped', 'more'),
      changes: [{ field: 'privateEndpoints[more]', to: 'gcp/ap-northeast-1' }],
    },
    { what: 'the list no longer', spec: { name: 'Acme' }, changes: [] },
    {
      what: 'an empty list',
      spec: { privateEndpoints: [] },
      changes: ['kept', 'dropped'].map((id) => ({
        field: `privateEndpoints[${id}]`,
        from: 'gcp/ap-northeast-1',
      })),
    },
    {
      what: 'the same in another order',
      spec: { name: 'Acme', ...list('dropped', 'kept', 'found') },
      changes: [],
    },
  ])(
    'for $what shows all that Apply sends, to the byte, and what it is compared with',
    async ({ spec, changes }) => {
      const first = await applied(before);
      const object = await planned(spec);
      const plan = planOf(object);
      expect(plan.basis).toBe('LastResponse');
      expect(plan.changes).toEqual(expect.arrayContaining<Spec>(changes));
      expect(plan.changes).toHaveLength(changes.length);
      expect(ready(object).status).toBe(changes.length === 0 ? 'True' : 'False');
      expect(ready(object).message).toContain('compared with the last response');
      expect(object.status.applied).toEqual(first.status.applied);
      expect(object.status.privateEndpoints).toEqual(first.status.privateEndpoints);
      const { requests, object: done } = await sent(spec);
      expect(requests).toEqual(plan.requests);
      expect(done.status['plan']).toBeUndefined();
      expect(done.status.applied?.['requestHash']).toBe(plan.hash);
    },
  );

  test('that would remove too many says that Apply sends nothing either', async () => {
    await applied(list('a', 'b', 'c'));
    const spec = { ...list('a'), maxPrivateEndpointRemovals: 1 };
    const object = await planned(spec);
    expect(planOf(object).requests).toMatchObject([{ body: LOOK }]);
    expect(ready(object).message).toMatch(
      /reads the list of private endpoints, and nothing else: 2 private endpoints would be removed \(b, c\).* allows 1/,
    );
    const { requests } = await sent(spec, 'RemovalBlocked');
    expect(requests).toMatchObject([{ body: LOOK }]);
    expect(orgs.ids()).toEqual(['theirs', 'found', 'a', 'b', 'c']);
  });

  test('whose list was too long to be kept asks for it first', async () => {
    scene.simulator.setOrganization(ORGANIZATION, { add: strangers(300) });
    await applied(list('ours'));
    const spec = list('ours', 'more');
    const plan = planOf(await planned(spec));
    expect(plan.basis).toBe('Unknown');
    const { requests } = await sent(spec);
    expect(requests).toMatchObject({ 0: plan.requests[0] });
  });

  test('whose reply to a change was lost asks first, as Apply does', async () => {
    await applied({ name: 'Acme', ...list('kept') });
    scene.simulator.always({ transport: 'reset-before' }, { bodyIncludes: 'lost' });
    await orgs.create('acme', { name: 'Acme', ...list('kept', 'lost') });
    await orgs.until('acme', 'OutcomeUnknown');
    scene.simulator.clear();
    // The look that follows at once is not to be counted among those that leave in spite of the
    // plan.
    await settled(scene, operator);
    const spec = { name: 'Acme', ...list('kept', 'lost') };
    const plan = planOf(await planned(spec));
    const { requests } = await sent(spec, 'OutcomeUnknown');
    expect(requests).toEqual(plan.requests);
    expect(plan.basis).toBe('Unknown');
  });

  test('costs one write per edit, keeps its time while it says the same, and none at a restart', async () => {
    await applied(before);
    await operator.idle();
    const writes = (await orgs.writes('acme')).length;
    const spec = { name: 'Acme', ...list('found', 'kept') };
    const first = await planned(spec);
    expect(await orgs.writes('acme')).toHaveLength(writes + 1);
    operator.clock.advance(60_000);
    const value = await orgs.request('acme');
    const again = await orgs.untilIt(
      'acme',
      'acknowledged',
      ({ status }) => status.lastHandledReconcileAt === value,
    );
    expect(planOf(again)).toEqual(planOf(first));
    await operator.stop();
    operator = await scene.startInner({ clock: operator.clock });
    await settled(scene, operator);
    expect((await orgs.get('acme')).metadata.resourceVersion).toBe(again.metadata.resourceVersion);
  });
});

test('suspend goes before Plan, and takes the plan off the status', async () => {
  await planned(list('ours'));
  await orgs.create('acme', { mode: 'Plan', suspend: true, ...list('ours') });
  expect((await orgs.until('acme', 'Suspended')).status['plan']).toBeUndefined();
  expect(orgs.patches()).toEqual([]);
});

test('Plan holds back what waits to be sent again, whatever comes due', async () => {
  scene.simulator.always({ status: 422, error: 'no' }, { method: 'PATCH' });
  await orgs.create('acme', list('ours'));
  await orgs.until('acme', 'Rejected');
  // The plan has no change until the refused endpoint is due again, and still not all is there.
  expect(ready(await planned(list('ours'))).status).toBe('False');
  const calls = orgs.patches().length;
  operator.clock.advance(24 * 3_600_000);
  await settled(scene, operator);
  expect(orgs.patches()).toHaveLength(calls);
});
