import { beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import type { OrganizationBehaviour } from '../simulator/organization-types.ts';
import { type SomeoneElse, someoneElse } from '../simulator/someone-else.ts';
import { asAdmin } from '../support/cluster.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import {
  endpoint,
  ledgerOf,
  list,
  type Org,
  type Organizations,
  through,
} from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { ready, settled } from '../support/watching.ts';

/** What the first version did wrong: each would have been seen here. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
let someone: SomeoneElse;
beforeEach(async () => {
  scene = await openScene({
    start: 'inner',
    clock: slowClock(),
    holds: { name: 'As it was', add: [endpoint('theirs')] },
  });
  ({ orgs } = scene);
  operator = scene.inner();
  someone = someoneElse(scene.simulator, { organizationId: ORGANIZATION });
  return () => scene.end();
});

async function applied(spec: Readonly<Record<string, unknown>>): Promise<Org> {
  await orgs.create('acme', spec);
  return orgs.until('acme', 'Applied');
}

function play(organization: Partial<OrganizationBehaviour>): void {
  scene.simulator.play({ organization });
}

async function restart(): Promise<void> {
  await operator.stop();
  operator = await scene.startInner({ clock: operator.clock });
}

function is(reason: string): (object: Org) => boolean {
  return (object) => ready(object).reason === reason;
}

/** How often the operator has asked for the removal of what others had put there. */
function removed(id: string): number {
  const counts = scene.simulator.endpointCounts(ORGANIZATION, { keyId: scene.key.id });
  return counts[`gcp/ap-northeast-1/${id}`]?.remove ?? 0;
}

describe('1: what somebody else added after the last reply, and a user then listed', () => {
  test.each(['no-op', 'upsert', 'bad-request', 'conflict', 'duplicate'] as const)(
    'is found and stays, where an add of what is there is answered with %s',
    async (addExisting) => {
      play({ addExisting });
      await applied(list('ours'));
      await someone.add(endpoint('late'), endpoint('later'));
      const object = await applied(list('ours', 'late', 'later'));
      expect(ledgerOf(object)).toEqual([
        'late Found Present',
        'later Found Present',
        'ours Added Present',
      ]);
      await restart();
      await applied(list('ours'));
      expect(orgs.ids().toSorted()).toEqual(['late', 'later', 'ours', 'theirs']);
      expect(removed('late') + removed('later')).toBe(0);
    },
  );

  test.each(['bad-request', 'conflict'] as const)(
    'is not ours either where it came between look and send (%s): an event says that it may be',
    async (addExisting) => {
      play({ addExisting });
      await applied(list('ours'));
      const before = orgs.said().length;
      scene.simulator.next({ hold: true }, { match: { keyId: scene.key.id } });
      await orgs.create('acme', list('ours', 'late', 'fresh'));
      await waitFor(() => orgs.said(), {
        what: 'the look',
        until: ({ length }) => length === before + 1,
      });
      await someone.add(endpoint('late'));
      scene.simulator.release();
      const object = await through(orgs, operator, 'acme', is('Applied'));
      expect(orgs.said().slice(before)).toEqual(['look', '+late+fresh', 'look', '+fresh']);
      expect(ledgerOf(object)).toEqual([
        'fresh Added Present',
        'late Found Present',
        'ours Added Present',
      ]);
      await restart();
      await applied(list());
      expect(orgs.ids()).toEqual(['theirs', 'late']);
      const told = (await scene.events('acme')).filter(
        ({ reason }) => reason === 'OwnershipUnknown',
      );
      expect(told.map(({ note }) => note)).toEqual([
        expect.stringContaining('late (gcp/ap-northeast-1)'),
      ]);
    },
  );
});

describe('2: on an API that refuses empty lists', () => {
  test.each(['bad-request', 'unprocessable', 'server-error'] as const)(
    'with %s nothing of others is removed, neither after a crash nor on deletion, and the user is told what helps',
    async (emptyLists) => {
      play({ emptyLists });
      const spec = { ...list('theirs', 'ours'), deletionPolicy: 'RemovePrivateEndpoints' };
      await orgs.create('acme', spec);
      const told = await through(orgs, operator, 'acme', (object) =>
        ready(object).message.includes('Declare spec.name'),
      );
      expect(ready(told).reason).toBe(emptyLists === 'server-error' ? 'Unavailable' : 'Rejected');
      expect(orgs.ids()).toEqual(['theirs']);
      await orgs.create('acme', { ...spec, name: 'Acme' });
      expect(ledgerOf(await through(orgs, operator, 'acme', is('Applied')))).toEqual([
        'ours Added Present',
        'theirs Found Present',
      ]);
      await orgs.remove('acme');
      await orgs.untilGone('acme');
      expect(orgs.ids()).toEqual(['theirs']);
      expect(removed('theirs')).toBe(0);
    },
  );
});

test('3: under RemovalBlocked no name is sent either', async () => {
  await applied({ ...list('a', 'b'), maxPrivateEndpointRemovals: 0 });
  const before = orgs.said().length;
  await orgs.create('acme', { name: 'Another', ...list('a'), maxPrivateEndpointRemovals: 0 });
  await orgs.until('acme', 'RemovalBlocked');
  await settled(scene, operator);
  operator.clock.advance(2 * HOUR);
  await settled(scene, operator);
  expect(new Set(orgs.said().slice(before))).toEqual(new Set(['look']));
  expect(orgs.held().name).toBe('As it was');
  expect(orgs.ids()).toEqual(['theirs', 'a', 'b']);
});

describe('4: a server that stores endpoints in other letters', () => {
  test.each(['upper-region', 'upper-id', 'lower-id', 'trimmed'] as const)(
    'with %s: ours stays ours, is never added twice, and goes when it is no longer listed',
    async (tuples) => {
      play({ tuples, matchBy: 'tuple' });
      const mixed = { privateEndpoints: [endpoint('Vpce-1')] };
      const first = await applied({ ...mixed, reassertInterval: '1h' });
      expect(first.status.privateEndpoints).toMatchObject([{ origin: 'Added', state: 'Present' }]);
      const time = first.status.applied?.['time'];
      operator.clock.advance(6 * HOUR);
      await orgs.untilIt('acme', 'a re-assert', ({ status }) => status.applied?.['time'] !== time);
      expect(orgs.said()).toEqual(['look', '+Vpce-1', 'look']);
      await applied(list());
      expect(orgs.ids()).toEqual(['theirs']);
    },
  );

  test('with an alias of the region: ours as reported, and the difference is said', async () => {
    play({ tuples: 'region-alias' });
    const object = await applied(list('ours'));
    expect(object.status['differences']).toMatchObject([
      { field: 'privateEndpoints[ours].region' },
    ]);
    await orgs.request('acme');
    await settled(scene, operator);
    expect(orgs.said().filter((said) => said.startsWith('+'))).toEqual(['+ours']);
    await applied(list());
    expect(orgs.ids()).toEqual(['theirs']);
  });
});

test('5: two bad endpoints among twenty, refused with one general text, do not keep the eighteen good ones out', async () => {
  play({ refusedIds: ['e3', 'e17'], refusedText: 'generic' });
  const ids = Array.from({ length: 20 }, (_, index) => `e${index}`);
  await orgs.create('acme', list(...ids));
  const object = await through(
    orgs,
    operator,
    'acme',
    (one) => ready(one).reason === 'Rejected' && orgs.ids().length === 19,
  );
  expect(ledgerOf(object).filter((one) => !one.endsWith('Added Present'))).toEqual([
    'e17 – Refused',
    'e3 – Refused',
  ]);
  expect(ready(object).message).toMatch(/e3, e17|e17, e3/);
});

describe('6: one glitched empty list', () => {
  test('changes nothing: ours is missing for a minute and then ours again', async () => {
    await applied({ ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' });
    scene.simulator.next(
      { play: { organization: { list: 'empty' } } },
      { match: { keyId: scene.key.id } },
    );
    await orgs.request('acme');
    const missed = await orgs.until('acme', 'NotConfirmed');
    expect(ledgerOf(missed)).toEqual(['ours Added Missing']);
    expect(ready(missed).message).toContain('ours');
    expect(ledgerOf(await through(orgs, operator, 'acme', is('Applied')))).toEqual([
      'ours Added Present',
    ]);
    expect(orgs.said().filter((said) => said.startsWith('+'))).toEqual(['+ours']);
    await orgs.remove('acme');
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
  });

  test('while the object is deleted does not let it go with ours left behind', async () => {
    await applied({ ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' });
    scene.simulator.next(
      { play: { organization: { list: 'empty' } } },
      { match: { keyId: scene.key.id } },
    );
    await orgs.remove('acme');
    await orgs.until('acme', 'NotConfirmed');
    operator.clock.advance(MINUTE + SECOND);
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
  });
});

describe('7: an API that does not answer as it should', () => {
  test('a look answered with 500 is told after three, with what helps, and goes on by itself', async () => {
    play({ emptyLists: 'server-error' });
    await orgs.create('acme', list('ours'));
    await through(orgs, operator, 'acme', (object) =>
      ready(object).message.includes('Declare spec.name'),
    );
    play({ emptyLists: 'ok' });
    await through(orgs, operator, 'acme', is('Applied'));
    expect(orgs.ids()).toEqual(['theirs', 'ours']);
  });

  test('two answers of 404 let the finalizer go only minutes apart, and an event names what was left', async () => {
    await applied({ ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' });
    scene.simulator.always(
      { status: 404, error: 'NOT_FOUND' },
      { keyId: scene.key.id, method: 'PATCH' },
    );
    await orgs.remove('acme');
    await orgs.until('acme', 'NotFound');
    operator.clock.advance(2 * MINUTE);
    await settled(scene, operator);
    expect((await orgs.get('acme')).metadata.finalizers).toHaveLength(1);
    operator.clock.advance(MINUTE + 30 * SECOND);
    await orgs.untilGone('acme');
    const warned = async () =>
      (await scene.events('acme')).filter(({ reason }) => reason === 'CleanupAbandoned');
    const [event] = await waitFor(warned, { what: 'the event', until: ({ length }) => length > 0 });
    expect(event?.note).toContain('ours (gcp/ap-northeast-1)');
  });

  test('a 404 that ends, as after a new key, lets nothing go', async () => {
    await applied({ ...list('ours'), deletionPolicy: 'RemovePrivateEndpoints' });
    scene.simulator.next({ status: 404 }, { match: { keyId: scene.key.id, method: 'PATCH' } });
    await orgs.remove('acme');
    await orgs.until('acme', 'NotFound');
    operator.clock.advance(4 * MINUTE);
    await orgs.untilGone('acme');
    expect(orgs.ids()).toEqual(['theirs']);
  });
});

test('8: of two objects that had both acted, the loser keeps what it knows, as found, and an event names it', async () => {
  await applied(list('ours'));
  // The older of two is told by whole seconds.
  const { metadata } = await orgs.get('acme');
  const laterThan = Date.parse(metadata.creationTimestamp) + 1_000;
  await waitFor(async () => Date.now(), {
    what: 'the next second',
    until: (now) => now >= laterThan,
  });
  await orgs.create('rival', { ...list('its-own'), credentialsSecretRef: { name: 'nowhere' } });
  await orgs.until('rival', 'TargetConflict');
  await operator.stop();
  // As after two processes that did not see each other: the younger one has been confirmed too.
  const { status: acted } = await orgs.get('acme');
  const rival = await orgs.get('rival');
  const entries = [{ ...endpoint('its-own'), origin: 'Added', state: 'Present' }];
  const status = { ...rival.status, proof: acted['proof'], privateEndpoints: entries };
  await asAdmin('PUT', `${orgs.pathTo('rival')}/status`, { ...rival, status });
  operator = await scene.startInner({ clock: operator.clock });
  const lost = await orgs.untilIt(
    'rival',
    'its word',
    (object) => ledgerOf(object)[0] === 'its-own Found Present',
  );
  expect(ready(lost).reason).toBe('TargetConflict');
  const told = async () =>
    (await scene.events('rival')).filter(({ reason }) => reason === 'OwnershipLost');
  const [event] = await waitFor(told, { what: 'the event', until: ({ length }) => length > 0 });
  expect(event?.note).toContain('its-own');
});
