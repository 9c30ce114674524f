import { beforeEach, describe, expect, test } from 'vitest';
import type { AuditEntry } from '../controlplane/audit.ts';
import { waitFor } from '../controlplane/client.ts';
import { change } from '../support/cluster.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { endpoint, list, type Org, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { expectCurrent, ready, settled } from '../support/watching.ts';

const HOUR = 3_600_000;

type Spec = Readonly<Record<string, unknown>>;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeEach(async () => {
  scene = await openScene({ start: 'inner' });
  ({ orgs } = scene);
  operator = scene.inner();
  return () => scene.end();
});

async function applied(spec: Spec): Promise<Org> {
  await orgs.create('acme', spec);
  return orgs.until('acme', 'Applied');
}

async function writes(): Promise<AuditEntry[]> {
  await operator.idle();
  return orgs.writes('acme');
}

/** What a change of the spec costs, in calls and in writes of any kind. */
async function costOf(
  spec: Spec,
  reason = 'Applied',
): Promise<{ readonly calls: number; readonly writes: number }> {
  const [calls, wrote] = [orgs.calls().length, (await writes()).length];
  await orgs.create('acme', spec);
  expectCurrent(await orgs.until('acme', reason));
  await settled(scene, operator);
  return { calls: orgs.calls().length - calls, writes: (await writes()).length - wrote };
}

describe('an Organization', () => {
  test('with a name is looked at, then named: two calls, and one write of its status', async () => {
    expect(await costOf({ name: 'Acme Data' })).toEqual({ calls: 2, writes: 1 });
    expect(orgs.said()).toEqual(['look', 'name']);
    expect((await orgs.get('acme')).status.organization?.name).toBe('Acme Data');
    expect(await costOf({ name: 'Acme' })).toEqual({ calls: 2, writes: 1 });
  });

  test('with endpoints is looked at, then changed: two calls, three with a name, and two writes', async () => {
    scene.simulator.setOrganization(ORGANIZATION, {
      add: [{ ...endpoint('theirs') }, { ...endpoint('found') }],
    });
    expect(await costOf({ name: 'Acme Data', ...list('found', 'ours') })).toEqual({
      calls: 3,
      writes: 2,
    });
    expect(orgs.patches()).toEqual([
      { privateEndpoints: { add: [], remove: [] } },
      { name: 'Acme Data' },
      { privateEndpoints: { add: [endpoint('ours')] } },
    ]);
    const { status } = await orgs.get('acme');
    expect(status.privateEndpoints).toMatchObject([
      { id: 'found', origin: 'Found', state: 'Present' },
      { id: 'ours', origin: 'Added', state: 'Present' },
    ]);
    expect(status.pendingChange).toBeUndefined();
    expect(await costOf(list())).toEqual({ calls: 2, writes: 2 });
    expect(orgs.patches().slice(4)).toEqual([{ privateEndpoints: { remove: [endpoint('ours')] } }]);
    expect(orgs.ids()).toEqual(['theirs', 'found']);
  });

  test('that is asserted again and has nothing to do costs one call and one write', async () => {
    await applied({ name: 'Acme', ...list('ours'), reassertInterval: '1h' });
    const [calls, wrote] = [orgs.calls().length, (await writes()).length];
    const time = (await orgs.get('acme')).status.applied?.['time'];
    operator.clock.advance(1.2 * HOUR);
    await orgs.untilIt('acme', 'the re-assert', ({ status }) => status.applied?.['time'] !== time);
    await settled(scene, operator);
    expect(orgs.said().slice(calls)).toEqual(['look']);
    expect(await writes()).toHaveLength(wrote + 1);
    expect(await scene.events('acme')).toEqual([]);
  });

  test.each([
    {
      what: 'endpoints that are all there already',
      spec: list('theirs'),
      cost: { calls: 1, writes: 1 },
    },
    { what: 'an empty list', spec: list(), cost: { calls: 1, writes: 1 } },
    {
      what: 'endpoints and a finalizer',
      spec: { ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' },
      cost: { calls: 2, writes: 3 },
    },
    {
      what: 'a hundred endpoints',
      spec: list(...Array.from({ length: 100 }, (_, at) => `ours-${at}`)),
      cost: { calls: 2, writes: 2 },
    },
  ])('with $what costs $cost', async ({ spec, cost }) => {
    scene.simulator.setOrganization(ORGANIZATION, { add: [{ ...endpoint('theirs') }] });
    expect(await costOf(spec)).toEqual(cost);
  });

  test('names a refused endpoint, and the rest gets in', async () => {
    scene.simulator.play({ organization: { refusedIds: ['bad'] } });
    await orgs.create('acme', { name: 'Acme Data', ...list('a', 'b', 'bad', 'c', 'd') });
    const { status } = await orgs.until('acme', 'Rejected');
    expect(orgs.ids().toSorted()).toEqual(['a', 'b', 'c', 'd']);
    expect(status.privateEndpoints?.find(({ id }) => id === 'bad')).toMatchObject({
      state: 'Refused',
      lastError: { httpStatus: 400 },
    });
  });

  test('in later edits costs what it changes: a look, a name, a change', async () => {
    const whole = { name: 'Acme', ...list('a', 'b') };
    await applied(whole);
    expect(await costOf({ name: 'Acme', ...list('b', 'a') }), 'another order').toEqual({
      calls: 1,
      writes: 1,
    });
    expect(await costOf({ name: 'Other', ...list('a', 'b') }), 'another name').toEqual({
      calls: 2,
      writes: 1,
    });
    expect(await costOf({ name: 'Other', ...list('b', 'c') }), 'the list').toEqual({
      calls: 2,
      writes: 2,
    });
    expect(await costOf({ name: 'Third', ...list('b', 'd') }), 'all of it').toEqual({
      calls: 3,
      writes: 2,
    });
    expect(await costOf({ name: 'Third' }), 'no list any more').toEqual({ calls: 1, writes: 1 });
    const moved = {
      name: 'Third',
      privateEndpoints: [endpoint('b'), endpoint('d', { region: 'us-east-1' })],
    };
    expect(await costOf(moved), 'look, remove, then add').toEqual({ calls: 3, writes: 3 });
    expect(orgs.held().privateEndpoints).toMatchObject([
      { id: 'b' },
      { id: 'd', region: 'us-east-1' },
    ]);
  });

  test('that is suspended makes no call and says whether it is as declared; taken up again it is sent once', async () => {
    await applied({ name: 'Acme', ...list('ours') });
    expect(await costOf({ name: 'Acme', ...list('ours'), suspend: true }, 'Suspended')).toEqual({
      calls: 0,
      writes: 1,
    });
    expect(ready(await orgs.get('acme')).status).toBe('True');
    expect(await costOf({ name: 'Acme', ...list(), suspend: true }, 'Suspended')).toEqual({
      calls: 0,
      writes: 1,
    });
    expect(ready(await orgs.get('acme')).status).toBe('False');
    const value = await orgs.request('acme');
    await orgs.untilIt(
      'acme',
      'acknowledged',
      ({ status }) => status.lastHandledReconcileAt === value,
    );
    expect(orgs.calls()).toHaveLength(3);
    expect(await costOf({ name: 'Acme', ...list('ours') })).toEqual({ calls: 1, writes: 1 });
    expect(orgs.ids()).toEqual(['ours']);
  });

  test('costs nothing for labels, annotations of others, a rotated Secret and the time that goes by', async () => {
    const { metadata } = await applied({ name: 'Acme', ...list('ours') });
    const calls = orgs.calls().length;
    const wrote = (await writes()).length;
    for (const round of ['1', '2', '3']) {
      await change(orgs.pathTo('acme'), (stored) => ({
        ...stored,
        metadata: {
          ...stored.metadata,
          labels: { round },
          annotations: { 'example.com/round': round },
        },
      }));
    }
    const rotated = await scene.newKey('management-api');
    operator.clock.advance(1_000 * HOUR);
    const isKnown = async (): Promise<number> => {
      await settled(scene, operator);
      return scene.simulator.callCount({ keyId: rotated.id });
    };
    await waitFor(isKnown, { what: 'the operator to hear of the new key' });
    expect(orgs.calls()).toHaveLength(calls);
    expect(scene.simulator.calls({ method: 'PATCH', keyId: rotated.id })).toEqual([]);
    expect(await writes()).toHaveLength(wrote);
    expect((await orgs.get('acme')).metadata.generation).toBe(metadata.generation);
    await orgs.request('acme');
    await scene.simulator.waitForCalls(1, { match: { method: 'PATCH', keyId: rotated.id } });
  });

  test('in whatever state costs nothing at a restart', async () => {
    const ids = Array.from({ length: 8 }, () => crypto.randomUUID());
    const [a, b, c, d, e, f, g, h] = ids;
    scene.simulator.always({ play: { organization: { refusedIds: ['bad'] } } });
    const states: readonly (readonly [string, Spec, string])[] = [
      ['named', { organizationId: a, name: 'Acme' }, 'Applied'],
      [
        'listed',
        { organizationId: b, ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' },
        'Applied',
      ],
      ['waiting', { organizationId: b, ...list('ours'), name: 'Waits' }, 'TargetConflict'],
      ['suspended', { organizationId: c, ...list('ours'), suspend: true }, 'Suspended'],
      ['planned', { organizationId: d, name: 'Acme', ...list('ours'), mode: 'Plan' }, 'Planned'],
      ['refused', { organizationId: e, ...list('bad', 'good') }, 'Rejected'],
      ['blocked', { organizationId: f, ...list('ours'), maxPrivateEndpointRemovals: 0 }, 'Applied'],
      [
        'blocked',
        { organizationId: f, ...list(), maxPrivateEndpointRemovals: 0 },
        'RemovalBlocked',
      ],
      [
        'described',
        { organizationId: g, privateEndpoints: [endpoint('ours', { description: 'one' })] },
        'Applied',
      ],
      [
        'described',
        { organizationId: g, privateEndpoints: [endpoint('ours', { description: 'two' })] },
        'Applied',
      ],
      [
        'keyless',
        { organizationId: h, name: 'Acme', credentialsSecretRef: { name: 'nowhere' } },
        'SecretNotFound',
      ],
    ];
    for (const [name, spec, reason] of states) {
      await orgs.create(name, spec);
      await orgs.until(name, reason);
    }
    await settled(scene, operator);
    const names = [...new Set(states.map(([name]) => name))];
    const versions = async (): Promise<string[]> =>
      Promise.all(
        names.map(async (name) => `${name} ${(await orgs.get(name)).metadata.resourceVersion}`),
      );
    const before = await versions();
    const calls = scene.simulator.calls({ method: 'PATCH' }).length;
    for (let round = 0; round < 2; round += 1) {
      await operator.stop();
      operator.clock.advance(2_000);
      operator = await scene.startInner({ clock: operator.clock });
      await settled(scene, operator);
    }
    expect(await versions()).toEqual(before);
    expect(scene.simulator.calls({ method: 'PATCH' })).toHaveLength(calls);
  });

  test('keeps its requestHash over order and restarts, and changes it with what is declared', async () => {
    const hashOf = (object: Org): unknown => object.status.applied?.['requestHash'];
    const first = hashOf(await applied({ name: 'Acme', ...list('a', 'b') }));
    expect(first).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(hashOf(await applied({ name: 'Acme', ...list('b', 'a') }))).toBe(first);
    expect(
      hashOf(await applied({ name: 'Acme', ...list('b', 'a'), maxPrivateEndpointRemovals: 9 })),
    ).toBe(first);
    expect(hashOf(await applied({ name: 'Acme', ...list('a') }))).not.toBe(first);
    expect(hashOf(await applied({ name: 'Acme' }))).not.toBe(
      hashOf(await applied({ name: 'Acme', ...list() })),
    );
    expect(hashOf(await applied({ name: 'Acme', ...list('a', 'b') }))).toBe(first);
  });
});
