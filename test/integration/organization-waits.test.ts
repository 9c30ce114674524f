import { beforeEach, describe, expect, test } from 'vitest';
import { type InnerOperator, startInner } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import { endpoint, type Org, type Organizations, organizationsOf } from '../support/organization-scene.ts';
import { ORGANIZATION, openScene, type Scene } from '../support/scene.ts';
import { ready, settled, side } from '../support/watching.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const NEUTRAL = { privateEndpoints: { add: [], remove: [] } };

type Spec = Readonly<Record<string, unknown>>;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeEach(async () => {
  scene = await openScene({ start: false });
  orgs = organizationsOf(scene);
  operator = await startInner(scene, { clock: slowClock() });
  scene.simulator.setOrganization(ORGANIZATION, { add: [endpoint('theirs')] });
  return async () => {
    await operator.stop();
    await scene.end();
  };
});

function list(...ids: readonly string[]) {
  return { privateEndpoints: ids.map((id) => endpoint(id)) };
}

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

function ledger({ status }: Org): string[] {
  return (status.privateEndpoints ?? []).map(({ id, origin, state }) => `${id} ${origin} ${state}`).toSorted();
}

describe('a change that would remove more than is allowed', () => {
  test('is not sent, no part of it, and says how many, which, and how to allow it', async () => {
    await applied(list('a', 'b', 'c'));
    await operator.idle();
    const [calls, writes] = [orgs.patches().length, (await orgs.writes('acme')).length];
    const object = await blocked({ name: 'Acme', ...list('a', 'more'), maxPrivateEndpointRemovals: 1 });
    expect(ready(object).message).toMatch(
      /2 private endpoints would be removed \(b, c\), and spec\.maxPrivateEndpointRemovals allows 1\. .*set it to 2/,
    );
    expect(side(object)).toBe('Stalled');
    expect(object.status.pendingChange).toBeUndefined();
    expectWait(object, HOUR);
    await settled(scene, operator);
    expect(orgs.patches()).toHaveLength(calls);
    expect(await orgs.writes('acme')).toHaveLength(writes + 1);
    expect((await scene.events('acme')).map(({ reason }) => reason)).toEqual(['RemovalBlocked']);
  });

  test('is looked at again every hour, with a read and no second event', async () => {
    await applied(list('a', 'b'));
    const first = await blocked({ ...list(), maxPrivateEndpointRemovals: 1 });
    const calls = orgs.patches().length;
    operator.clock.advance(waitIn(first) + SECOND);
    const second = await tried(2);
    expect(ready(second).reason).toBe('RemovalBlocked');
    expect(orgs.patches().slice(calls)).toEqual([NEUTRAL]);
    expectWait(second, HOUR);
    scene.simulator.setOrganization(ORGANIZATION, { remove: ['a'] });
    operator.clock.advance(waitIn(second) + SECOND);
    await orgs.until('acme', 'Applied');
    expect(orgs.ids(), 'one alone may go').toEqual(['theirs']);
    await settled(scene, operator);
    const warned = (await scene.events('acme')).filter(({ reason }) => reason === 'RemovalBlocked');
    expect(warned).toHaveLength(1);
  });

  test.each([
    { way: 'the cap is raised', spec: { ...list('a'), maxPrivateEndpointRemovals: 2 }, left: ['theirs', 'a'] },
    { way: 'they are listed again', spec: { ...list('a', 'b', 'c') }, left: ['theirs', 'a', 'b', 'c'] },
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
    expect(ledger(await applied(list('theirs', 'ours')))).toEqual(['ours Added Present', 'theirs Found Present']);
    const calls = orgs.patches().length;
    const adopted = await applied({ ...list('theirs', 'ours'), adoptPrivateEndpoints: true });
    expect(ledger(adopted)).toEqual(['ours Added Present', 'theirs Adopted Present']);
    const back = await applied(list('theirs', 'ours'));
    expect(ledger(back)).toEqual(['ours Added Present', 'theirs Found Present']);
    expect(orgs.patches().slice(calls)).toEqual([NEUTRAL, NEUTRAL]);
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
    expect(ledger(without)).toEqual(['ours Added Present']);
    expect(orgs.ids()).toEqual(['theirs', 'ours']);
    expect(ledger(await applied({ name: 'Acme', ...list('ours') }))).toEqual(['ours Added Present']);
    expect(scene.simulator.endpointCounts(ORGANIZATION)['gcp/ap-northeast-1/ours']?.add).toBe(1);
    await applied({ name: 'Acme' });
    const emptied = await applied(list());
    expect(orgs.ids()).toEqual(['theirs']);
    expect(emptied.status.privateEndpoints).toBeUndefined();
  });
});

describe('what is refused or ignored', () => {
  test('an add that is ignored is looked for after 10 s, 1 min and 5 min, and is the user’s matter then', async () => {
    scene.simulator.play({ organization: { add: 'ignored' } });
    await orgs.create('acme', list('ours'));
    for (const [index, nominal] of [10 * SECOND, MINUTE, 5 * MINUTE].entries()) {
      const object = await tried(index + 1);
      expect(ready(object).reason).toBe('NotConfirmed');
      expect(side(object)).toBe('Reconciling');
      expect(waitIn(object)).toBeLessThanOrEqual(nominal + SECOND);
      expect(waitIn(object)).toBeGreaterThanOrEqual(nominal - 5 * SECOND);
      operator.clock.advance(waitIn(object) + SECOND);
    }
    const stalled = await tried(4);
    expect(side(stalled)).toBe('Stalled');
    expectWait(stalled, 6 * HOUR);
    expect(ledger(stalled)).toEqual(['ours Added Unconfirmed']);
    expect(scene.simulator.endpointCounts(ORGANIZATION)['gcp/ap-northeast-1/ours']?.add).toBeLessThanOrEqual(4);
    scene.simulator.play({ organization: { add: 'honoured' } });
    // What was sent may be at work for a minute: before that an absence says nothing.
    operator.clock.advance(MINUTE);
    await orgs.request('acme');
    expect(ledger(await orgs.until('acme', 'Applied'))).toEqual(['ours Added Present']);
  });

  test.each([
    { what: 'an add', before: list(), spec: list('bad', 'good'), play: { refusedIds: ['bad'] }, left: ['good'] },
    { what: 'a removal', before: list('bad', 'good'), spec: list(), play: { refuseRemoves: ['bad'] }, left: ['bad'] },
  ])('$what that is refused waits its time, also where the list cannot be asked for', async (row) => {
    await applied(row.before);
    scene.simulator.play({ organization: { ...row.play, emptyLists: 'bad-request' } });
    const calls = orgs.patches().length;
    await orgs.create('acme', row.spec);
    const first = await orgs.until('acme', 'Rejected');
    await orgs.untilIt('acme', 'a next attempt', ({ status }) => status.nextAttemptTime !== undefined);
    expect(orgs.ids()).toEqual(['theirs', ...row.left]);
    expect(first.status.privateEndpoints?.find(({ id }) => id === 'bad')?.lastError?.httpStatus).toBe(400);
    await settled(scene, operator);
    const used = orgs.patches().length - calls;
    expect(used, 'a handful of calls').toBeLessThanOrEqual(8);
    operator.clock.advance(8 * MINUTE - 10 * SECOND);
    await settled(scene, operator);
    expect(orgs.patches()).toHaveLength(calls + used);
    scene.simulator.play({ organization: { refusedIds: [], refuseRemoves: [] } });
    operator.clock.advance(5 * MINUTE);
    await orgs.until('acme', 'Applied');
    expect(orgs.ids().toSorted()).toEqual([...row.spec.privateEndpoints.map(({ id }) => id), 'theirs'].toSorted());
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
    operator = await startInner(scene, { clock: operator.clock });
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
