import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrganizationBehaviour } from '../../simulator/manners.ts';
import type { OrganizationChange } from '../../simulator/organization-types.ts';
import {
  endpoint,
  inventoryOf,
  list,
  type Org,
  type Organizations,
} from '../../support/organizations.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import type { Spec } from '../../support/scene-objects.ts';
import { ready, settled } from '../../support/watching.ts';

/** What an Organization does with name and endpoints, and what its user reads of it. */

const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;

let scene: Scene;
let orgs: Organizations;
beforeAll(async () => {
  scene = await openScene();
  orgs = scene.orgs;
});
afterAll(() => scene.end());

/** An organization that has an endpoint of others, and the object of this name for it. */
function organization(name: string, more: OrganizationChange = {}) {
  const id = randomUUID();
  scene.simulator.setOrganization(id, { add: [endpoint('theirs')], ...more });
  return {
    id,
    async apply(spec: Spec, reason = 'Applied'): Promise<Org> {
      await orgs.create(name, { organizationId: id, ...spec });
      return orgs.until(name, reason);
    },
    said: () => orgs.said(id),
    ids: () => orgs.ids(id),
    /** In place of what was said of it before. */
    behaves: (behaviour: Partial<OrganizationBehaviour>) =>
      scene.simulator.always({ play: { organization: behaviour } }, { pathIncludes: id }),
    async notes(): Promise<string[]> {
      await settled(scene);
      const events = await scene.events(name);
      return events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
    },
  };
}

test('a new one is looked at, named and filled; an edit sends what differs; others keep theirs', async () => {
  const { id, apply, said, ids, notes } = organization('acme', { name: 'Before' });
  const object = await apply({ name: 'Acme', ...list('a', 'b') });
  expect(said()).toEqual(['look', 'name', '+a+b']);
  const { requestId } = orgs.calls(id).at(-1) ?? {};
  expect(ready(object).message).toBe(
    `The API has the declared name and the 2 private endpoints of spec (request ${requestId})`,
  );
  expect(inventoryOf(object)).toEqual(['a Added Present', 'b Added Present']);
  expect(object.status.organization).toMatchObject({ name: 'Acme', privateEndpointsTotal: 3 });
  await apply({ name: 'Acme', ...list('b', 'c') });
  expect(said().slice(3)).toEqual(['look', '+c-a']);
  expect(ids()).toEqual(['theirs', 'b', 'c']);
  expect(await notes()).toEqual([
    expect.stringMatching(/^Normal Applied: Applied: .*added .*\[c\].*removed .*\[a\]/),
  ]);
});

test('what was there before is found and never removed, and adopted it is', async () => {
  const { apply, ids, notes } = organization('found', {
    add: ['x', 'y', 'z'].map((id) => endpoint(id)),
  });
  expect(inventoryOf(await apply(list('x', 'y')))).toEqual(['x Found Present', 'y Found Present']);
  expect(inventoryOf(await apply(list('x')))).toEqual(['x Found Present']);
  const adopted = { ...list('x'), adoptPrivateEndpoints: true };
  expect(inventoryOf(await apply(adopted))).toEqual(['x Adopted Present']);
  await apply({ ...adopted, ...list() });
  expect(ids()).toEqual(['y', 'z']);
  expect(await notes()).toContainEqual(
    'Normal EndpointLeft: Existed before spec listed it, and left spec: y (gcp/ap-northeast-1). It stays at the API',
  );
});

test('a list that leaves the spec removes nothing, and an event says what is no longer managed', async () => {
  const { apply, ids, notes } = organization('unlisted');
  await apply({ name: 'Acme', ...list('a') });
  const object = await apply({ name: 'Acme' });
  expect(inventoryOf(object)).toEqual(['a Added Present']);
  expect(ids()).toEqual(['theirs', 'a']);
  expect(await notes()).toContainEqual(
    expect.stringMatching(/^Normal NoLongerManaged: .* privateEndpoints \(2 entries\)$/),
  );
});

test('a rename in Git under RemovePrivateEndpoints leaves what the new object lists', async () => {
  const { id, apply, said, ids, notes } = organization('before');
  await apply({ ...list('kept', 'dropped'), ...REMOVING });
  await orgs.create('after', { organizationId: id, ...list('kept'), ...REMOVING });
  const waiting = await orgs.until('after', 'TargetConflict');
  expect(ready(waiting).message).toMatch(
    /set deletionPolicy to Retain; otherwise .* are removed, except those that another object in its/,
  );
  await orgs.remove('before');
  await orgs.untilGone('before');
  const object = await orgs.until('after', 'Applied');
  expect(ids()).toEqual(['theirs', 'kept']);
  expect(said()).not.toContain('-kept');
  expect(inventoryOf(object)).toEqual(['kept Found Present']);
  expect(await notes()).toEqual([
    expect.stringMatching(/^Normal Applied: Applied: removed .*\[dropped\] \(/),
  ]);
});

// The same attempt was answered 200 when it observed: it is the endpoint that such a status means.
test.each([403, 404])(
  'one of three that is answered %i keeps no other out or in, and is all that is blamed',
  async (refusedStatus) => {
    const { apply, ids, behaves } = organization(`answered-${refusedStatus}`);
    behaves({ refusedIds: ['bad'], refusedStatus });
    const added = await apply(list('a', 'bad', 'b'), 'Rejected');
    expect(inventoryOf(added)).toEqual(['a Added Present', 'b Added Present', 'bad – Refused']);
    behaves({ refuseRemoves: ['a'], refusedStatus });
    const kept = await apply(list(), 'Rejected');
    expect(ids()).toEqual(['theirs', 'a']);
    const messages = [added, kept].map((one) => ready(one).message);
    expect(messages[0]).toContain('1 of 3 private endpoints (bad)');
    expect(messages[1]).toContain('the removal of a');
    expect(messages.join()).not.toMatch(
      /\bAPI key\b|\bkey id\b|allow-list|organization .*does not exist/i,
    );
  },
);

test('sixty removals at an API that takes ten in one request are made by a deletion', async () => {
  const { apply, ids, behaves } = organization('sixty');
  const sixty = Array.from({ length: 60 }, (_, index) => `psc-${index}`);
  await apply({ ...list(...sixty), ...REMOVING });
  behaves({ mostItems: 10 });
  await orgs.remove('sixty');
  await orgs.untilGone('sixty', 60_000);
  expect(ids()).toEqual(['theirs']);
});
