import { beforeEach, describe, expect, test } from 'vitest';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import { endpoint, inventoryOf, list, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready, settled, side } from '../support/watching.ts';

/** What people have reported of other operators: one change that the API refuses, and the rest. */

const MINUTE = 60_000;
const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;
const SIXTY = Array.from({ length: 60 }, (_, index) => `psc-${index}`);
/** What an API takes in one request. */
const MOST_ITEMS = 10;

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

async function applied(ids: readonly string[], spec: object = {}): Promise<void> {
  await orgs.create('acme', { ...list(...ids), ...spec });
  await orgs.until('acme', 'Applied');
}

/** Everything that was sent since, but for what only observes. */
function changesSince(before: number): string[] {
  return orgs
    .said()
    .slice(before)
    .filter((one) => one !== 'look');
}

describe('one refused removal of three', () => {
  beforeEach(async () => {
    await applied(['a', 'b', 'c'], REMOVING);
    scene.simulator.play({ organization: { refuseRemoves: ['b'] } });
  });

  test('does not keep the other two, and is the only one that is left and named', async () => {
    const before = orgs.said().length;
    await orgs.create('acme', { ...list(), ...REMOVING });
    const object = await orgs.until('acme', 'Rejected');
    expect(changesSince(before)).toEqual(['-a-b-c', '-a', '-b', '-c']);
    expect(orgs.ids()).toEqual(['theirs', 'b']);
    expect(inventoryOf(object)).toEqual(['b Added Present']);
    expect(object.status.privateEndpoints?.[0]?.lastError).toMatchObject({ httpStatus: 400 });
    expect(object.status.pendingChange).toBeUndefined();
    expect(side(object)).toBe('Stalled');
    expect(ready(object).message).toContain('the removal of b');

    scene.simulator.play({ organization: { refuseRemoves: [] } });
    await orgs.request('acme');
    await orgs.until('acme', 'Applied');
    expect(orgs.ids()).toEqual(['theirs']);
  });

  test('does not keep them in a deletion either, which names it where it lets go', async () => {
    await orgs.remove('acme');
    const held = await orgs.untilIt(
      'acme',
      'the other two to be gone',
      ({ status }) => status.privateEndpoints?.length === 1,
    );
    expect(inventoryOf(held)).toEqual(['b Added Present']);
    expect(orgs.ids()).toEqual(['theirs', 'b']);
    operator.clock.advance(11 * MINUTE);
    await orgs.untilGone('acme');
    await settled(scene, operator);
    const abandoned = (await scene.events('acme')).filter(
      ({ reason }) => reason === 'CleanupAbandoned',
    );
    expect(abandoned.map(({ note }) => note)).toEqual([expect.stringMatching(/\bb \(/)]);
  });
});

describe('sixty removals at an API that takes ten a request', () => {
  beforeEach(async () => {
    await applied(SIXTY, REMOVING);
    scene.simulator.play({ organization: { mostItems: MOST_ITEMS } });
  });

  test('are made', async () => {
    await orgs.create('acme', { ...list(), ...REMOVING, maxPrivateEndpointRemovals: 100 });
    const object = await orgs.until('acme', 'Applied', 60_000);
    expect(inventoryOf(object)).toEqual([]);
    expect(orgs.ids()).toEqual(['theirs']);
  });

  test('are made in a deletion', async () => {
    await orgs.remove('acme');
    await orgs.untilGone('acme', 60_000);
    expect(orgs.ids()).toEqual(['theirs']);
    const reasons = (await scene.events('acme')).map(({ reason }) => reason);
    expect(reasons).not.toContain('CleanupAbandoned');
  });
});

test('a hundred adds refused for one reason: the reason once, how many were tried, and no second round before its time', async () => {
  scene.simulator.play({ organization: { add: 'bad-request', refusedText: 'generic' } });
  await orgs.create('acme', list(...Array.from({ length: 100 }, (_, index) => `psc-${index}`)));
  const object = await orgs.until('acme', 'Rejected');
  expect(inventoryOf(object)).toEqual(['psc-0', 'psc-1', 'psc-2'].map((id) => `${id} – Refused`));
  const { message } = ready(object);
  expect(message.match(/request is not valid/g)).toHaveLength(1);
  expect(message).toContain('3 of 100');
  await operator.idle();
  expect(changesSince(0)).toHaveLength(4);
  expect(orgs.ids()).toEqual(['theirs']);
});
