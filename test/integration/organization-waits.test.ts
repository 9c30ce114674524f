import { beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
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
import { ready, settled, side } from '../support/watching.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

type Spec = Readonly<Record<string, unknown>>;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeEach(async () => {
  scene = await openScene({
    start: 'inner',
    clock: slowClock(),
    holds: { add: [endpoint('theirs')] },
  });
  ({ orgs } = scene);
  operator = scene.inner();
  return () => scene.end();
});

async function applied(spec: Spec): Promise<Org> {
  await orgs.create('acme', spec);
  return orgs.until('acme', 'Applied');
}

async function blocked(spec: Spec): Promise<Org> {
  await orgs.create('acme', spec);
  return orgs.until('acme', 'RemovalBlocked');
}

/** Milliseconds from now to the next attempt, as the status has it. */
function waitIn({ status }: Org): number {
  return Date.parse(status.nextAttemptTime ?? '') - operator.clock.now();
}

function expectWait(object: Org, nominal: number): void {
  // ±20 %; times in status are whole seconds, and a few went by since.
  expect(waitIn(object)).toBeGreaterThanOrEqual(0.8 * nominal - 5 * SECOND);
  expect(waitIn(object)).toBeLessThanOrEqual(1.2 * nominal + SECOND);
}

function tried(count: number): Promise<Org> {
  return orgs.untilIt(
    'acme',
    `attempt ${count}`,
    ({ status }) => status.attempts === count && status.nextAttemptTime !== undefined,
  );
}

describe('a change that would remove more than is allowed', () => {
  test('is not sent, no part of it and not the name, and says how many, which, and how to allow it', async () => {
    await applied(list('a', 'b', 'c'));
    await operator.idle();
    const [calls, writes] = [orgs.patches().length, (await orgs.writes('acme')).length];
    const object = await blocked({
      name: 'Acme',
      ...list('a', 'more'),
      maxPrivateEndpointRemovals: 1,
    });
    expect(ready(object).message).toMatch(
      /2 private endpoints would be removed \(b, c\), but spec\.maxPrivateEndpointRemovals allows 1\. .*set spec\.maxPrivateEndpointRemovals to 2/,
    );
    expect(side(object)).toBe('Stalled');
    expect(object.status.pendingChange).toBeUndefined();
    expectWait(object, HOUR);
    await settled(scene, operator);
    expect(orgs.said().slice(calls)).toEqual(['look']);
    expect(await orgs.writes('acme')).toHaveLength(writes + 1);
    expect((await scene.events('acme')).map(({ reason }) => reason)).toEqual(['RemovalBlocked']);
  });

  test('is looked at again every hour, with a look and no second event', async () => {
    await applied(list('a', 'b'));
    const first = await blocked({ ...list(), maxPrivateEndpointRemovals: 1 });
    const calls = orgs.patches().length;
    operator.clock.advance(waitIn(first) + SECOND);
    const second = await tried(2);
    expect(ready(second).reason).toBe('RemovalBlocked');
    expect(orgs.said().slice(calls)).toEqual(['look']);
    expectWait(second, HOUR);
    scene.simulator.setOrganization(ORGANIZATION, { remove: ['a'] });
    await through(orgs, operator, 'acme', (object) => ready(object).reason === 'Applied');
    expect(orgs.ids(), 'one alone may go').toEqual(['theirs']);
    await settled(scene, operator);
    const warned = (await scene.events('acme')).filter(({ reason }) => reason === 'RemovalBlocked');
    expect(warned).toHaveLength(1);
  });

  test.each([
    {
      way: 'the cap is raised',
      spec: { ...list('a'), maxPrivateEndpointRemovals: 2 },
      left: ['theirs', 'a'],
    },
    {
      way: 'they are listed again',
      spec: { ...list('a', 'b', 'c') },
      left: ['theirs', 'a', 'b', 'c'],
    },
    { way: 'the list becomes absent', spec: { name: 'Acme' }, left: ['theirs', 'a', 'b', 'c'] },
  ])('goes on when $way', async ({ spec, left }) => {
    await applied(list('a', 'b', 'c'));
    await blocked({ ...list('a'), maxPrivateEndpointRemovals: 1 });
    await applied(spec);
    expect(orgs.ids()).toEqual(left);
  });

  test.each([
    { cap: {}, most: 5 },
    { cap: { maxPrivateEndpointRemovals: 0 }, most: 0 },
    { cap: { maxPrivateEndpointRemovals: 7 }, most: 7 },
  ])('is one more than $most with $cap', async ({ cap, most }) => {
    const ids = Array.from({ length: most + 1 }, (_, index) => `ours-${index}`);
    await applied({ ...list(...ids), ...cap });
    await blocked({ ...list(), ...cap });
    expect(orgs.ids()).toEqual(['theirs', ...ids]);
    await applied({ ...list(...ids.slice(0, 1)), ...cap });
    expect(orgs.ids()).toEqual(['theirs', ...ids.slice(0, 1)]);
  });
});

describe('the ledger', () => {
  test('calls found endpoints adopted while that is asked for, without sending them', async () => {
    expect(ledgerOf(await applied(list('theirs', 'ours')))).toEqual([
      'ours Added Present',
      'theirs Found Present',
    ]);
    const calls = orgs.patches().length;
    const adopted = await applied({ ...list('theirs', 'ours'), adoptPrivateEndpoints: true });
    expect(ledgerOf(adopted)).toEqual(['ours Added Present', 'theirs Adopted Present']);
    const back = await applied(list('theirs', 'ours'));
    expect(ledgerOf(back)).toEqual(['ours Added Present', 'theirs Found Present']);
    expect(orgs.said().slice(calls)).toEqual(['look', 'look']);
    await applied(list());
    expect(orgs.ids()).toEqual(['theirs']);
  });

  test('lets adopted endpoints be removed, and only while they are adopted', async () => {
    await applied({ ...list('theirs'), adoptPrivateEndpoints: true });
    await applied({ ...list(), adoptPrivateEndpoints: false });
    expect(orgs.ids()).toEqual(['theirs']);
    await applied({ ...list('theirs'), adoptPrivateEndpoints: true });
    await applied({ ...list(), adoptPrivateEndpoints: true });
    expect(orgs.ids()).toEqual([]);
  });

  test('is kept while the list is absent, so that an empty one takes away what is ours', async () => {
    await applied(list('theirs', 'ours'));
    const without = await applied({ name: 'Acme' });
    expect(ledgerOf(without)).toContain('ours Added Present');
    expect(orgs.ids()).toEqual(['theirs', 'ours']);
    expect(ledgerOf(await applied({ name: 'Acme', ...list('ours') }))).toEqual([
      'ours Added Present',
    ]);
    expect(scene.simulator.endpointCounts(ORGANIZATION)['gcp/ap-northeast-1/ours']?.add).toBe(1);
    await applied({ name: 'Acme' });
    const emptied = await applied(list());
    expect(orgs.ids()).toEqual(['theirs']);
    expect(emptied.status.privateEndpoints).toBeUndefined();
  });
});

describe('what is refused or ignored', () => {
  test('an add that is ignored is looked for until it is settled, sent three times, and then only for another spec', async () => {
    scene.simulator.play({ organization: { add: 'ignored' } });
    await orgs.create('acme', list('ours'));
    const first = await orgs.until('acme', 'NotConfirmed');
    expect(side(first)).toBe('Reconciling');
    expect(ledgerOf(first)).toEqual(['ours Added Unconfirmed']);
    expect(ready(first).message).toContain('ours');
    const given = await through(orgs, operator, 'acme', (object) =>
      ready(object).message.includes('three times'),
    );
    expect(orgs.said().filter((said) => said === '+ours')).toHaveLength(3);
    expect(orgs.said().length).toBeLessThanOrEqual(3 * 5);
    expect(ledgerOf(given)).toEqual([]);
    // Events are sent after the status that goes with them.
    const told = await waitFor(
      async () => (await scene.events('acme')).filter(({ reason }) => reason === 'AddNotConfirmed'),
      { what: 'an event for each', until: ({ length }) => length >= 3 },
    );
    expect(told.map(({ note }) => note)).toEqual(
      Array(3).fill(expect.stringContaining('ours (gcp/ap-northeast-1)')),
    );
    scene.simulator.play({ organization: { add: 'honoured' } });
    operator.clock.advance(24 * HOUR);
    await settled(scene, operator);
    expect(orgs.said().filter((said) => said === '+ours')).toHaveLength(3);
    await orgs.request('acme');
    await settled(scene, operator);
    expect(orgs.said().filter((said) => said === '+ours')).toHaveLength(3);
    expect(ledgerOf(await applied({ ...list('ours'), maxPrivateEndpointRemovals: 7 }))).toEqual([
      'ours Added Present',
    ]);
  });

  test('waits after a refusal double, survive a restart, and end at once with the annotation', async () => {
    scene.simulator.play({ organization: { refusedIds: ['bad'] } });
    await orgs.create('acme', list('bad'));
    const first = await tried(1);
    expectWait(first, 10 * MINUTE);
    operator.clock.advance(waitIn(first) + SECOND);
    const second = await tried(2);
    expectWait(second, 20 * MINUTE);
    await operator.stop();
    operator = await scene.startInner({ clock: operator.clock });
    await settled(scene, operator);
    expect((await orgs.get('acme')).metadata.resourceVersion).toBe(second.metadata.resourceVersion);
    const calls = orgs.patches().length;
    operator.clock.advance(waitIn(second) - MINUTE);
    await settled(scene, operator);
    expect(orgs.patches()).toHaveLength(calls);
    scene.simulator.play({ organization: { refusedIds: [] } });
    await orgs.request('acme');
    await orgs.until('acme', 'Applied');
    expect(orgs.ids()).toEqual(['theirs', 'bad']);
  });
});
