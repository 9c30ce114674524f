import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { endpoint, inventoryOf, list } from '../../support/organizations.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { ready, settled, side } from '../../support/watching.ts';

/** Two objects for one pipe or organization: who acts, and what the other says. */

const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;

let scene: Scene;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(() => scene.end());

function organization(): { readonly organizationId: string } {
  const organizationId = crypto.randomUUID();
  scene.simulator.setOrganization(organizationId, { add: [endpoint('theirs')] });
  return { organizationId };
}

test('two ids that differ in case are one pipe; the second waits, and takes over when the first goes', async () => {
  const { psets } = scene;
  await psets.create('first', { pipeId: 'Same-Pipe' });
  await psets.until('first', 'Applied');
  await psets.create('second', { pipeId: 'same-pipe' });
  const waiting = await psets.until('second', 'TargetConflict');
  expect(side(waiting)).toBe('Reconciling');
  expect(ready(waiting).message).toBe(
    'The pipe is owned by PipeSettings "first", so nothing is sent for this object. Delete one of the two; deleting that one frees the pipe, and this one takes over',
  );
  await settled(scene);
  expect(psets.puts('same-pipe')).toEqual([]);
  await psets.remove('first');
  await psets.until('second', 'Applied');
  expect(psets.puts('same-pipe')).toHaveLength(1);
});

test('an owner that is suspended keeps its pipe, and one whose key never worked keeps nobody out', async () => {
  const { psets } = scene;
  await psets.create('resting', { pipeId: 'kept' });
  await psets.until('resting', 'Applied');
  await psets.create('resting', { pipeId: 'kept', suspend: true });
  await psets.until('resting', 'Suspended');
  await psets.create('waiting', { pipeId: 'kept' });
  await psets.until('waiting', 'TargetConflict');

  await scene.secret('wrong', { keyId: 'nobody', keySecret: 'knows this one' });
  await psets.create('broken', { pipeId: 'free', credentialsSecretRef: { name: 'wrong' } });
  const broken = await psets.until('broken', 'Unauthorized');
  // Times of creation have whole seconds; where they are equal, it is the uid that decides.
  const after = Date.parse(broken.metadata.creationTimestamp) + 1_000;
  await waitFor(() => Date.now() >= after, { what: 'the second of its creation to be over' });
  await psets.create('working', { pipeId: 'free' });
  expect(ready(await psets.until('working', 'TargetConflict')).message).toMatch(
    /^PipeSettings "broken" is for the pipe too and is older, so it is tried first/,
  );
  await psets.create('broken', { pipeId: 'free', suspend: true });
  await psets.until('working', 'Applied');
});

test('a rename in Git under RemovePrivateEndpoints leaves what the new object lists', async () => {
  const { orgs } = scene;
  const target = organization();
  await orgs.create('before', { ...target, ...list('kept', 'dropped'), ...REMOVING });
  await orgs.until('before', 'Applied');
  await orgs.create('after', { ...target, ...list('kept'), ...REMOVING });
  const waiting = await orgs.until('after', 'TargetConflict');
  expect(ready(waiting).message).toMatch(
    /set that to Retain: else .* are removed, but for those that another object in its namespace lists/,
  );
  await orgs.remove('before');
  await orgs.untilGone('before');
  const object = await orgs.until('after', 'Applied');
  expect(orgs.ids(target.organizationId)).toEqual(['theirs', 'kept']);
  expect(orgs.said(target.organizationId)).not.toContain('-kept');
  expect(inventoryOf(object)).toEqual(['kept Found Present']);
  await settled(scene);
  const notes = (await scene.events('before')).map(({ reason, note }) => `${reason} ${note}`);
  expect(notes).toEqual([expect.stringMatching(/^Applied Applied: removed .*\[dropped\] \(/)]);
});
