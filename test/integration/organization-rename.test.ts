import { beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { endpoint, ledgerOf, list, type Organizations, through } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION } from '../support/scene-objects.ts';
import { ready, settled } from '../support/watching.ts';

const SECOND = 1_000;
const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeEach(async () => {
  scene = await openScene({ start: 'inner', holds: { add: [endpoint('theirs')] } });
  ({ orgs } = scene);
  operator = scene.inner();
  return () => scene.end();
});

/**
 * How often each of our endpoints was asked to be added and removed, as `<id> +<adds> -<removes>`.
 */
function traffic(): string[] {
  return Object.entries(scene.simulator.endpointCounts(ORGANIZATION, { keyId: scene.key.id }))
    .map(([key, { add, remove }]) => `${key.split('/').at(-1)} +${add} -${remove}`)
    .toSorted();
}

async function holder(spec: Readonly<Record<string, unknown>>): Promise<void> {
  await orgs.create('old', spec);
  await orgs.until('old', 'Applied');
}

describe('a rename in Git', () => {
  test('under Retain touches nothing: the new object finds what is there, and owns it where it adopts', async () => {
    await holder(list('kept'));
    await orgs.create('new', list('kept'));
    expect(
      ledgerOf(await orgs.until('new', 'TargetConflict')),
      'a waiting object inherits nothing',
    ).toEqual([]);
    await orgs.remove('old');
    expect(ledgerOf(await orgs.until('new', 'Applied'))).toEqual(['kept Found Present']);
    expect(traffic()).toEqual(['kept +1 -0']);
    await orgs.create('new', { ...list('kept'), adoptPrivateEndpoints: true });
    expect(ledgerOf(await orgs.until('new', 'Applied'))).toEqual(['kept Adopted Present']);
    await orgs.create('new', { ...list(), adoptPrivateEndpoints: true });
    await orgs.until('new', 'Applied');
    expect(orgs.ids()).toEqual(['theirs']);
  });

  test.each(['a-new', 'z-new'])(
    'in one breath does the same, with %s as the new name',
    async (name) => {
      await holder(list('kept'));
      await orgs.create(name, list('kept'));
      await orgs.remove('old');
      expect(ledgerOf(await orgs.until(name, 'Applied'))).toEqual(['kept Found Present']);
      expect(traffic()).toEqual(['kept +1 -0']);
    },
  );

  test.each(['a-new', 'z-new'])(
    'while the operator is away does the same, with %s as the new name',
    async (name) => {
      await holder({ ...list('kept', 'dropped'), ...REMOVING });
      await operator.stop();
      await orgs.create(name, { ...list('kept'), ...REMOVING });
      await orgs.remove('old');
      operator = await scene.startInner({ clock: operator.clock, flags: ['--concurrency', '1'] });
      expect(ledgerOf(await orgs.until(name, 'Applied'))).toEqual(['kept Found Present']);
      await orgs.untilGone('old');
      expect(traffic()).toEqual(['dropped +1 -1', 'kept +1 -0']);
    },
  );

  test('under RemovePrivateEndpoints takes away what only the old one lists', async () => {
    await holder({ ...list('kept', 'dropped'), ...REMOVING });
    await orgs.create('new', { ...list('kept', 'fresh'), ...REMOVING });
    await orgs.until('new', 'TargetConflict');
    await orgs.remove('old');
    expect(ledgerOf(await orgs.until('new', 'Applied'))).toEqual([
      'fresh Added Present',
      'kept Found Present',
    ]);
    expect(traffic()).toEqual(['dropped +1 -1', 'fresh +1 -0', 'kept +1 -0']);
    expect(orgs.ids().toSorted()).toEqual(['fresh', 'kept', 'theirs']);
  });

  test('while the old object’s change is on its way waits for its answer', async () => {
    scene.simulator.next({ hold: true }, { match: { bodyIncludes: 'kept' } });
    await orgs.create('old', list('kept'));
    await scene.simulator.waitForCalls(1, { match: { bodyIncludes: 'kept' } });
    await orgs.create('new', list('kept'));
    await orgs.until('new', 'TargetConflict');
    await orgs.remove('old');
    await settled(scene);
    expect(orgs.said()).toEqual(['look', '+kept']);
    scene.simulator.release();
    await operator.idle();
    operator.clock.advance(96 * SECOND);
    expect(ledgerOf(await orgs.until('new', 'Applied'))).toEqual(['kept Found Present']);
    expect(traffic()).toEqual(['kept +1 -0']);
  });

  test.each([
    { fault: { transport: 'reset-after' }, done: true },
    { fault: { transport: 'reset-before' }, done: false },
  ] as const)(
    'after a change that was lost (done: $done) makes no call before that is settled',
    async ({ fault, done }) => {
      scene.simulator.next(fault, { match: { bodyIncludes: 'kept' } });
      await orgs.create('old', list('kept'));
      await scene.simulator.waitForCalls(1, { match: { bodyIncludes: 'kept' } });
      await orgs.create('new', list('kept'));
      await orgs.remove('old');
      await orgs.untilGone('old');
      await settled(scene, operator);
      const calls = orgs.said().length;
      operator.clock.advance(90 * SECOND);
      await settled(scene, operator);
      expect(orgs.said()).toHaveLength(calls);
      operator.clock.advance(6 * SECOND);
      const object = await through(orgs, operator, 'new', (one) => ready(one).reason === 'Applied');
      expect(ledgerOf(object)).toEqual([`kept ${done ? 'Found' : 'Added'} Present`]);
      expect(traffic()).toEqual([`kept +${done ? 1 : 2} -0`]);
    },
  );
});

test('an old object that cannot be cleaned up keeps the organization to its deadline, and then the new one goes on', async () => {
  await holder({ ...list('kept', 'dropped'), ...REMOVING });
  await orgs.create('new', { ...list('kept', 'fresh'), ...REMOVING });
  await orgs.until('new', 'TargetConflict');
  scene.simulator.always({ status: 500 }, { keyId: scene.key.id, pathIncludes: ORGANIZATION });
  await orgs.remove('old');
  await orgs.untilIt('old', 'a failure', ({ status }) => status.lastRequest?.httpStatus === 500);
  operator.clock.advance(601 * SECOND);
  await orgs.untilGone('old');
  scene.simulator.clear();
  const object = await through(orgs, operator, 'new', (one) => ready(one).reason === 'Applied');
  expect(ledgerOf(object)).toEqual(['fresh Added Present', 'kept Found Present']);
  const abandoned = async () =>
    (await scene.events('old')).filter(({ reason }) => reason === 'CleanupAbandoned');
  const [event] = await waitFor(abandoned, {
    what: 'the event',
    until: ({ length }) => length > 0,
  });
  expect(event?.note).toContain('dropped');
  expect(event?.note).not.toContain('kept');
});
