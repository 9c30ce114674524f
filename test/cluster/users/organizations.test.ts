import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
import { ready, settled, side } from '../../support/watching.ts';

/** What an Organization does with name and endpoints, and what its user reads of it. */

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
    /** Tries now, and resolves when that is over. */
    async again(reason: string): Promise<Org> {
      const asked = await orgs.request(name);
      await orgs.untilIt(name, 'tried', ({ status }) => status.lastHandledReconcileAt === asked);
      return orgs.until(name, reason);
    },
    said: () => orgs.said(id),
    ids: () => orgs.ids(id),
    /** Those of others at the API, past the operator. */
    others: (change: OrganizationChange) => scene.simulator.setOrganization(id, change),
    async notes(): Promise<string[]> {
      await settled(scene);
      const events = await scene.events(name);
      return events.map(({ type, reason, note }) => `${type} ${reason}: ${note}`);
    },
  };
}

test('a new one is looked at, named and filled; an edit sends what differs; others keep theirs', async () => {
  const { id, apply, said, ids, again, notes } = organization('acme', { name: 'Before' });
  const object = await apply({ name: 'Acme', ...list('a', 'b') });
  expect(said()).toEqual(['look', 'name', '+a+b']);
  const { requestId } = orgs.calls(id).at(-1) ?? {};
  expect(ready(object).message).toBe(
    `The API has the declared name and 2 private endpoints (request ${requestId})`,
  );
  expect(inventoryOf(object)).toEqual(['a Added Present', 'b Added Present']);
  expect(object.status.organization).toMatchObject({ name: 'Acme', privateEndpointsTotal: 3 });
  await apply({ name: 'Acme', ...list('b', 'c') });
  expect(said().slice(3)).toEqual(['look', '+c-a']);
  await again('Applied');
  expect(said().slice(5)).toEqual(['look']);
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

test('one of ours that is not in the list is missing until a second look, not added at once', async () => {
  const { apply, others, again, said } = organization('missed');
  await apply(list('a'));
  others({ remove: ['a'] });
  const missed = await again('NotConfirmed');
  expect(inventoryOf(missed)).toEqual(['a Added Missing']);
  expect(side(missed)).toBe('Reconciling');
  expect(ready(missed).message).toMatch(/^Private endpoints no longer in the list: a \(request/);
  await again('NotConfirmed');
  others({ add: [endpoint('a')] });
  expect(inventoryOf(await again('Applied'))).toEqual(['a Added Present']);
  expect(said().slice(2)).toEqual(['look', 'look', 'look']);
});

test('more removals than the cap allows send nothing at all, not the name either', async () => {
  const { apply, said, ids } = organization('capped');
  const cap = { maxPrivateEndpointRemovals: 1 };
  await apply({ ...list('a', 'b'), ...cap });
  const object = await apply({ ...list('c'), name: 'Acme', ...cap }, 'RemovalBlocked');
  expect(side(object)).toBe('Stalled');
  expect(ready(object).message).toMatch(
    /2 private endpoints would be removed \(a, b\), but spec\.maxPrivateEndpointRemovals allows 1\. List them again, or set spec\.maxPrivateEndpointRemovals to 2/,
  );
  expect(said().slice(2)).toEqual(['look']);
  await apply({ ...list('c'), maxPrivateEndpointRemovals: 2 });
  expect(ids()).toEqual(['theirs', 'c']);
});

test('an id that others have in another region is kept back, and nothing else is', async () => {
  const { apply, ids } = organization('conflicting', { add: [endpoint('a', { region: 'eu' })] });
  const object = await apply(list('a', 'b'), 'EndpointConflict');
  expect(side(object)).toBe('Stalled');
  expect(ready(object).message).toContain('already has the id of a with another cloud provider or');
  expect(ids()).toEqual(['a', 'b']);
  expect(inventoryOf(object)).toEqual(['b Added Present']);
});
