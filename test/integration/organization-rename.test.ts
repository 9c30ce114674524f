import { beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { type InnerOperator, startInner } from '../support/inner-operator.ts';
import { endpoint, type Org, type Organizations, organizationsOf } from '../support/organization-scene.ts';
import { ORGANIZATION, openScene, type Scene, type SeenEvent } from '../support/scene.ts';
import { settled } from '../support/watching.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const POLICIES = ['Retain', 'RemovePrivateEndpoints'] as const;

let scene: Scene;
let orgs: Organizations;
let operator: InnerOperator;
beforeEach(async () => {
  scene = await openScene({ start: false });
  orgs = organizationsOf(scene);
  operator = await startInner(scene);
  scene.simulator.setOrganization(ORGANIZATION, { add: [endpoint('theirs')] });
  return async () => {
    await operator.stop();
    await scene.end();
  };
});

async function restart(flags: readonly string[] = []): Promise<void> {
  operator = await startInner(scene, { clock: operator.clock, flags });
}

/** How often each of our endpoints was asked to be added and removed, as `<id> +<adds> -<removes>`. */
function traffic(): string[] {
  return Object.entries(scene.simulator.endpointCounts(ORGANIZATION, { keyId: scene.key.id }))
    .map(([key, { add, remove }]) => `${key.split('/').at(-1)} +${add} -${remove}`)
    .toSorted();
}

function ledger({ status }: Org): string[] {
  return (status.privateEndpoints ?? []).map(({ id, origin, state }) => `${id} ${origin} ${state}`).toSorted();
}

function list(...ids: readonly string[]) {
  return { privateEndpoints: ids.map((id) => endpoint(id)) };
}

/** What the successor took over is its own: it takes it away when it is no longer listed. */
async function expectOwned(name: string, deletionPolicy: string): Promise<void> {
  await orgs.create(name, { privateEndpoints: [], deletionPolicy });
  await orgs.untilIt(
    name,
    'an empty list',
    (object) => object.status.observedGeneration === object.metadata.generation,
  );
  await orgs.until(name, 'Applied');
  expect(orgs.ids()).toEqual(['theirs']);
}

describe.each(POLICIES)('a rename in Git under %s', (deletionPolicy) => {
  test('adds and removes nothing, and what was added stays ours', async () => {
    await orgs.create('old', { ...list('kept'), deletionPolicy });
    await orgs.until('old', 'Applied');
    await orgs.create('new', { ...list('kept'), deletionPolicy });
    expect(ledger(await orgs.until('new', 'TargetConflict'))).toEqual(['kept Added Present']);
    await orgs.remove('old');
    expect(ledger(await orgs.until('new', 'Applied'))).toEqual(['kept Added Present']);
    await orgs.untilGone('old');
    expect(traffic()).toEqual(['kept +1 -0']);
    expect(await scene.events('new')).not.toContainEqual(expect.objectContaining({ type: 'Warning' }));
    await expectOwned('new', deletionPolicy);
  });

  test.each(['a-new', 'z-new'])('in one breath does the same, with %s as the new name', async (name) => {
    await orgs.create('old', { ...list('kept'), deletionPolicy });
    await orgs.until('old', 'Applied');
    await orgs.create(name, { ...list('kept'), deletionPolicy });
    await orgs.remove('old');
    expect(ledger(await orgs.until(name, 'Applied'))).toEqual(['kept Added Present']);
    expect(traffic()).toEqual(['kept +1 -0']);
  });

  test('while the operator is away during the prune does the same', async () => {
    await orgs.create('old', { ...list('kept'), deletionPolicy });
    await orgs.until('old', 'Applied');
    await orgs.create('new', { ...list('kept'), deletionPolicy });
    await orgs.until('new', 'TargetConflict');
    await operator.stop();
    await orgs.remove('old');
    await restart();
    expect(ledger(await orgs.until('new', 'Applied'))).toEqual(['kept Added Present']);
    await orgs.untilGone('old');
    expect(traffic()).toEqual(['kept +1 -0']);
    await expectOwned('new', deletionPolicy);
  });

  test('with another list brings about that list, and touches what is in both not at all', async () => {
    await orgs.create('old', { ...list('kept', 'dropped'), deletionPolicy });
    await orgs.until('old', 'Applied');
    await orgs.create('new', { ...list('kept', 'fresh'), deletionPolicy });
    await orgs.until('new', 'TargetConflict');
    await orgs.remove('old');
    await orgs.until('new', 'Applied');
    const isRemoved = deletionPolicy === 'RemovePrivateEndpoints';
    expect(traffic()).toEqual([`dropped +1 -${isRemoved ? 1 : 0}`, 'fresh +1 -0', 'kept +1 -0']);
    expect(orgs.ids().toSorted()).toEqual([...(isRemoved ? [] : ['dropped']), 'fresh', 'kept', 'theirs']);
  });

  test('does the same while the old object’s change is on its way', async () => {
    scene.simulator.next({ hold: true }, { match: { bodyIncludes: 'kept' } });
    await orgs.create('old', { ...list('kept'), deletionPolicy });
    await scene.simulator.waitForCalls(1, { match: { bodyIncludes: 'kept' } });
    await orgs.create('new', { ...list('kept'), deletionPolicy });
    await orgs.until('new', 'TargetConflict');
    await orgs.remove('old');
    await settled(scene);
    scene.simulator.release();
    expect(ledger(await orgs.until('new', 'Applied'))).toEqual(['kept Added Present']);
    expect(traffic()).toEqual(['kept +1 -0']);
    await expectOwned('new', deletionPolicy);
  });

  test('does the same where the old object’s change took effect and its reply was lost', async () => {
    scene.simulator.next({ transport: 'reset-after' }, { match: { bodyIncludes: 'kept' } });
    await orgs.create('old', { ...list('kept'), deletionPolicy });
    await scene.simulator.waitForCalls(1, { match: { bodyIncludes: 'kept' } });
    await orgs.create('new', { ...list('kept'), deletionPolicy });
    await orgs.remove('old');
    expect(ledger(await orgs.until('new', 'Applied'))).toEqual(['kept Added Present']);
    expect(traffic()).toEqual(['kept +1 -0']);
    await expectOwned('new', deletionPolicy);
  });

  test('sends a change again that was lost on its way, but only once that is certain', async () => {
    scene.simulator.always({ transport: 'reset-before' }, { bodyIncludes: 'kept' });
    await orgs.create('old', { ...list('kept'), deletionPolicy });
    await orgs.until('old', 'OutcomeUnknown');
    await orgs.create('new', { ...list('kept'), deletionPolicy });
    expect(ledger(await orgs.until('new', 'TargetConflict'))).toEqual(['kept Added Unconfirmed']);
    scene.simulator.clear();
    const before = traffic();
    await orgs.remove('old');
    await orgs.untilIt('new', 'what it waits for', ({ status }) => status.conditions[0]?.reason === 'OutcomeUnknown');
    expect(traffic()).toEqual(before);
    operator.clock.advance(MINUTE);
    expect(ledger(await orgs.until('new', 'Applied'))).toEqual(['kept Added Present']);
    expect(orgs.ids()).toEqual(['theirs', 'kept']);
    await expectOwned('new', deletionPolicy);
  });
});

describe.each([{ rest: [] }, { rest: ['dropped'] }])('while the operator is away all the time', ({ rest }) => {
  test.each(['a-new', 'z-new'])(
    `an old object that is held, with ${rest.length} more, keeps the meaning for %s, whichever is visited first`,
    async (name) => {
      const deletionPolicy = 'RemovePrivateEndpoints';
      await orgs.create('old', { ...list('kept', ...rest), deletionPolicy });
      await orgs.until('old', 'Applied');
      await operator.stop();
      await orgs.create(name, { ...list('kept'), deletionPolicy });
      await orgs.remove('old');
      await restart(['--concurrency', '1']);
      expect(ledger(await orgs.until(name, 'Applied'))).toEqual(['kept Added Present']);
      await orgs.untilGone('old');
      expect(traffic()).toEqual([...rest.map((id) => `${id} +1 -1`), 'kept +1 -0']);
      await expectOwned(name, deletionPolicy);
    },
  );
});

test('while the operator is away all the time, what an old object without a finalizer added is only found', async () => {
  await orgs.create('old', list('kept'));
  await orgs.until('old', 'Applied');
  await operator.stop();
  await orgs.create('new', list('kept'));
  await orgs.remove('old');
  await restart();
  expect(ledger(await orgs.until('new', 'Applied'))).toEqual(['kept Found Present']);
});

test.each([
  { way: 'suspended', spec: { suspend: true }, reason: 'Suspended' },
  { way: 'in Plan mode', spec: { mode: 'Plan' }, reason: 'Planned' },
])('a successor that is $way takes over in silence, with what was added as its own', async ({ spec, reason }) => {
  const deletionPolicy = 'RemovePrivateEndpoints';
  await orgs.create('old', { ...list('kept'), deletionPolicy });
  await orgs.until('old', 'Applied');
  await orgs.create('new', { ...list('kept'), deletionPolicy, ...spec });
  await orgs.untilIt('new', 'a ledger', (object) => ledger(object).length > 0);
  const calls = orgs.patches().length;
  await orgs.remove('old');
  await orgs.untilGone('old');
  await orgs.until('new', reason);
  await settled(scene, operator);
  expect(orgs.patches()).toHaveLength(calls);
  await orgs.create('new', { ...list('kept'), deletionPolicy });
  expect(ledger(await orgs.until('new', 'Applied'))).toEqual(['kept Added Present']);
  await expectOwned('new', deletionPolicy);
});

test('adopted endpoints stay adopted for a successor that adopts, and are found for one that does not', async () => {
  for (const adoptPrivateEndpoints of [true, false]) {
    const name = `new-${adoptPrivateEndpoints}`;
    await orgs.create('old', { ...list('theirs'), adoptPrivateEndpoints: true });
    expect(ledger(await orgs.until('old', 'Applied'))).toEqual(['theirs Adopted Present']);
    await orgs.create(name, { ...list('theirs'), adoptPrivateEndpoints });
    await orgs.until(name, 'TargetConflict');
    await orgs.remove('old');
    const origin = adoptPrivateEndpoints ? 'Adopted' : 'Found';
    expect(ledger(await orgs.until(name, 'Applied'))).toEqual([`theirs ${origin} Present`]);
    await orgs.remove(name);
    await orgs.untilGone(name);
  }
});

test('an old object that cannot be cleaned up keeps the organization to its deadline, and then the new one goes on', async () => {
  const deletionPolicy = 'RemovePrivateEndpoints';
  await orgs.create('old', { ...list('kept', 'dropped'), deletionPolicy });
  await orgs.until('old', 'Applied');
  await orgs.create('new', { ...list('kept', 'fresh'), deletionPolicy });
  await orgs.until('new', 'TargetConflict');
  scene.simulator.always({ status: 500 }, { keyId: scene.key.id, pathIncludes: ORGANIZATION });
  await orgs.remove('old');
  await orgs.untilIt('old', 'a failure', ({ status }) => status.lastRequest?.httpStatus === 500);
  operator.clock.advance(10 * MINUTE + SECOND);
  await orgs.untilGone('old');
  scene.simulator.clear();
  await orgs.request('new');
  expect(ledger(await orgs.until('new', 'Applied'))).toEqual(['fresh Added Present', 'kept Added Present']);
  const abandoned = async (): Promise<SeenEvent[]> =>
    (await scene.events('old')).filter(({ reason }) => reason === 'CleanupAbandoned');
  const [event] = await waitFor(abandoned, { what: 'the event', until: ({ length }) => length > 0 });
  expect(event?.note).toContain('dropped');
  expect(event?.note).not.toContain('kept');
});
