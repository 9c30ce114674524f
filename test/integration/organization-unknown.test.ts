import { beforeEach, describe, expect, test } from 'vitest';
import type { Fault } from '../simulator/types.ts';
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
/** `--api-timeout` and a minute. */
const SETTLED = 95 * SECOND;

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
  // What is added twice shows.
  scene.simulator.play({ organization: { addExisting: 'duplicate', removeAbsent: 'not-found' } });
  return () => scene.end();
});

function isApplied(object: Org): boolean {
  return ready(object).reason === 'Applied';
}

/** Whether the work was done although nobody was told. */
const LOST: readonly { readonly how: string; readonly fault: Fault; readonly done: boolean }[] = [
  { how: 'reset after the work', fault: { transport: 'reset-after' }, done: true },
  { how: 'reset before the work', fault: { transport: 'reset-before' }, done: false },
  { how: '504, done', fault: { status: 504, body: 'html', applied: true }, done: true },
  { how: '504, not done', fault: { status: 504, body: 'html' }, done: false },
  { how: '408, not done', fault: { status: 408 }, done: false },
  { how: '302, not done', fault: { status: 302 }, done: false },
  { how: '200 without a result, done', fault: { status: 200, body: 'no-result' }, done: true },
  { how: '200 cut off, done', fault: { transport: 'truncated' }, done: true },
];

describe.each(LOST)('an answer that was lost: $how', ({ fault, done }) => {
  test('an add is not sent again where the list has it, and else once it is settled', async () => {
    scene.simulator.next(fault, { match: { bodyIncludes: '"id":"a"' } });
    await orgs.create('acme', { name: 'Acme', ...list('a', 'b') });
    const failed = await orgs.untilIt(
      'acme',
      'the loss',
      ({ status }) => status.lastRequest?.outcome === 'Unknown',
    );
    expect(ready(failed).reason).toBe('OutcomeUnknown');
    expect(side(failed)).toBe('Reconciling');
    expect(failed.status.pendingChange).toMatchObject({
      add: [endpoint('a'), endpoint('b')],
      remove: [],
    });
    const object = await through(orgs, operator, 'acme', isApplied);
    expect(ledgerOf(object)).toEqual(['a Added Present', 'b Added Present']);
    expect(object.status.pendingChange).toBeUndefined();
    expect(orgs.ids()).toEqual(['theirs', 'a', 'b']);
    const looks = orgs.said().filter((said) => said === 'look').length;
    expect(orgs.said().filter((said) => said !== 'look')).toEqual([
      'name',
      ...Array(done ? 1 : 2).fill('+a+b'),
    ]);
    expect(looks, 'at once, after 10 s, when settled').toBeLessThanOrEqual(5);
  });

  test('a removal likewise', async () => {
    await orgs.create('acme', list('a', 'b'));
    await orgs.until('acme', 'Applied');
    scene.simulator.next(fault, { match: { bodyIncludes: '"remove":[{' } });
    await orgs.create('acme', list('b'));
    await orgs.until('acme', 'OutcomeUnknown');
    const object = await through(
      orgs,
      operator,
      'acme',
      (one) => isApplied(one) && ledgerOf(one).length === 1,
    );
    expect(orgs.ids()).toEqual(['theirs', 'b']);
    expect(ledgerOf(object)).toEqual(['b Added Present']);
    expect(orgs.said().filter((said) => said === '-a')).toHaveLength(done ? 1 : 2);
  });
});

describe('while nobody can tell what became of an add', () => {
  async function lost(): Promise<number> {
    scene.simulator.next({ transport: 'reset-before' }, { match: { bodyIncludes: '"id":"a"' } });
    await orgs.create('acme', list('a'));
    await orgs.until('acme', 'OutcomeUnknown');
    await operator.idle();
    return operator.clock.monotonic();
  }

  /** Turns the clock on in steps, so that whatever would come too early comes. */
  async function creep(until: number): Promise<void> {
    while (operator.clock.monotonic() < until) {
      operator.clock.advance(Math.min(10 * SECOND, until - operator.clock.monotonic()));
      await settled(scene, operator);
    }
  }

  test('nothing is sent before it is settled, whatever is edited or asked for', async () => {
    const sentAt = await lost();
    await orgs.create('acme', { name: 'Acme', ...list('a', 'b') });
    await orgs.request('acme');
    await creep(sentAt + SETTLED - 2 * SECOND);
    expect(orgs.said().filter((said) => said !== 'look')).toEqual(['+a']);
    expect(ledgerOf(await orgs.get('acme'))).toEqual(['a Added Unconfirmed']);
    await through(orgs, operator, 'acme', isApplied);
    expect(orgs.ids()).toEqual(['theirs', 'a', 'b']);
  });

  test('a process that comes anew waits as long again, from when it first saw it', async () => {
    await lost();
    await operator.stop();
    operator = await scene.startInner({ clock: operator.clock });
    const seenAt = operator.clock.monotonic();
    await creep(seenAt + SETTLED - 2 * SECOND);
    expect(orgs.said().filter((said) => said !== 'look')).toEqual(['+a']);
    await through(orgs, operator, 'acme', isApplied);
    expect(orgs.ids()).toEqual(['theirs', 'a']);
  });

  test('one that turns up late is ours, and goes where it is no longer listed', async () => {
    await lost();
    await orgs.create('acme', list());
    scene.simulator.setOrganization(ORGANIZATION, { add: [endpoint('a')] });
    await through(
      orgs,
      operator,
      'acme',
      (object) => isApplied(object) && ledgerOf(object).length === 0,
    );
    expect(orgs.ids()).toEqual(['theirs']);
  });

  test('one that turns up only after five minutes may be somebody else’s: it stays, and an event says so', async () => {
    await lost();
    await operator.stop();
    operator.clock.advance(301 * SECOND);
    scene.simulator.setOrganization(ORGANIZATION, { add: [endpoint('a')] });
    operator = await scene.startInner({ clock: operator.clock });
    expect(ledgerOf(await through(orgs, operator, 'acme', isApplied))).toEqual(['a Found Present']);
    await settled(scene, operator);
    const told = (await scene.events('acme')).filter(({ reason }) => reason === 'OwnershipUnknown');
    expect(told.map(({ note }) => note)).toEqual([
      expect.stringContaining('a (gcp/ap-northeast-1)'),
    ]);
  });
});

test('an edit at every moment of an attempt ends in what the last spec says, with nothing sent twice', async () => {
  const steps = ['look', 'name', 'send'] as const;
  for (const [index, step] of steps.entries()) {
    const bodyIncludes = { look: '"add":[],"remove":[]', name: '"name"', send: '"add":[{' }[step];
    const before = orgs.said().length;
    scene.simulator.next({ hold: true }, { match: { keyId: scene.key.id, bodyIncludes } });
    await orgs.create('acme', { name: `Name ${index}`, ...list(`first-${step}`) });
    await scene.simulator.waitForCalls(before + 1 + index, {
      match: { method: 'PATCH', keyId: scene.key.id },
    });
    await orgs.create('acme', { name: `Name ${index}, edited`, ...list(`edited-${step}`) });
    scene.simulator.release();
    const object = await through(
      orgs,
      operator,
      'acme',
      (one) => isApplied(one) && one.status.observedGeneration === one.metadata.generation,
    );
    expect(ledgerOf(object)).toEqual([`edited-${step} Added Present`]);
    expect(orgs.ids()).toEqual(['theirs', `edited-${step}`]);
    expect(orgs.held().name).toBe(`Name ${index}, edited`);
  }
  for (const { add, removed } of Object.values(
    scene.simulator.endpointCounts(ORGANIZATION, { keyId: scene.key.id }),
  )) {
    expect([add, removed ?? 0].every((count) => count <= 1)).toBe(true);
  }
});
