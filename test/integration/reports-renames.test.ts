import { beforeEach, expect, test } from 'vitest';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import { endpoint, inventoryOf, list, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready, settled } from '../support/watching.ts';

/** Two objects for one organization: what is said of an endpoint, and what becomes of it. */

const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;

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

test('a rename in Git under RemovePrivateEndpoints leaves what the new object lists, and nobody says otherwise', async () => {
  await orgs.create('before', { ...list('kept', 'dropped'), ...REMOVING });
  await orgs.until('before', 'Applied');
  await orgs.create('after', { ...list('kept'), ...REMOVING });
  const waiting = await orgs.until('after', 'TargetConflict');
  expect(ready(waiting).message).toContain('but for those that another object');
  await orgs.remove('before');
  await orgs.untilGone('before');
  const object = await orgs.until('after', 'Applied');
  expect(orgs.ids()).toEqual(['theirs', 'kept']);
  expect(orgs.said()).not.toContain('-kept');
  expect(inventoryOf(object)).toEqual(['kept Found Present']);
  await settled(scene, operator);
  const notes = (await scene.events('before')).map(({ reason, note }) => `${reason} ${note}`);
  expect(notes).toEqual([expect.stringMatching(/^Applied Applied: removed .*\[dropped\] \(/)]);
});

test('two objects that swap their lists: the owner goes by its own, the other says whom it waits for', async () => {
  await orgs.create('owner', list('a'));
  await orgs.until('owner', 'Applied');
  await orgs.create('other', list('b'));
  await orgs.until('other', 'TargetConflict');
  await Promise.all([orgs.create('owner', list('b')), orgs.create('other', list('a'))]);
  const [owner, other] = await Promise.all([
    orgs.until('owner', 'Applied'),
    orgs.until('other', 'TargetConflict'),
  ]);
  expect(orgs.ids()).toEqual(['theirs', 'b']);
  expect(inventoryOf(owner)).toEqual(['b Added Present']);
  expect(inventoryOf(other)).toEqual([]);
  expect(ready(other).message).toContain('owned by Organization "owner"');
});
