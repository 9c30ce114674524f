import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OrganizationBehaviour } from '../simulator/organization-types.ts';
import { endpoint, inventoryOf, list, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready, side } from '../support/watching.ts';

/** One change that the API refuses does not keep back the rest, and is the only one that is named. */

const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `psc-${index}`);

let scene: Scene;
let orgs: Organizations;
beforeAll(async () => {
  scene = await openScene();
  orgs = scene.orgs;
});
afterAll(() => scene.end());

/** An organization with an endpoint of others; `behaves` replaces what was said of it before. */
function organization() {
  const id = randomUUID();
  scene.simulator.setOrganization(id, { add: [endpoint('theirs')] });
  return {
    id,
    target: { organizationId: id },
    behaves: (behaviour: Partial<OrganizationBehaviour>) =>
      scene.simulator.always({ play: { organization: behaviour } }, { pathIncludes: id }),
    changes: () => orgs.said(id).filter((one) => one !== 'look'),
  };
}

function expectNobodyBlamed(message: string, bad: string): void {
  expect(message).toContain(bad);
  expect(message).not.toMatch(/\bAPI key\b|\bkey id\b|allow-list|organization .*does not exist/i);
}

// The same attempt was answered 200 when it observed: it is the endpoint that such a status means.
describe.each([400, 403, 404, 409, 410, 423, 424])('one of three that is answered %i', (status) => {
  test('keeps no other out', async () => {
    const { id, target, behaves, changes } = organization();
    behaves({ refusedIds: ['bad'], refusedStatus: status });
    await orgs.create(`add-${status}`, { ...target, ...list('good-1', 'bad', 'good-2') });
    const object = await orgs.until(`add-${status}`, 'Rejected');
    expect(changes()).toEqual(['+good-1+bad+good-2', '+good-1', '+bad', '+good-2']);
    expect(orgs.ids(id)).toEqual(['theirs', 'good-1', 'good-2']);
    const [, ...good] = inventoryOf(object);
    expect(inventoryOf(object)[0]).toBe('bad – Refused');
    expect(good).toEqual(['good-1 Added Present', 'good-2 Added Present']);
    expect(side(object)).toBe('Stalled');
    expectNobodyBlamed(ready(object).message, '1 of 3 private endpoints (bad)');
  });

  test('keeps no other in, in an edit and in a deletion', async () => {
    const { id, target, behaves, changes } = organization();
    const name = `remove-${status}`;
    await orgs.create(name, { ...target, ...list('good-1', 'bad', 'good-2'), ...REMOVING });
    await orgs.until(name, 'Applied');
    behaves({ refuseRemoves: ['bad'], refusedStatus: status });
    await orgs.create(name, { ...target, ...list('good-1'), ...REMOVING });
    const object = await orgs.until(name, 'Rejected');
    expect(changes().slice(1)).toEqual(['-bad-good-2', '-bad', '-good-2']);
    const bad = object.status.privateEndpoints?.find((one) => one.id === 'bad');
    expect(bad).toMatchObject({ origin: 'Added', lastError: { httpStatus: status } });
    expect(object.status.pendingChange).toBeUndefined();
    expectNobodyBlamed(ready(object).message, 'the removal of bad');
    await orgs.remove(name);
    const held = await orgs.untilIt(name, 'the good one to be gone', (one) => {
      return one.status.privateEndpoints?.length === 1 && ready(one).reason === 'Rejected';
    });
    expect(orgs.ids(id)).toEqual(['theirs', 'bad']);
    expectNobodyBlamed(ready(held).message, 'bad');
    behaves({ refuseRemoves: [] });
    await orgs.request(name);
    await orgs.untilGone(name);
    expect(orgs.ids(id)).toEqual(['theirs']);
  });
});

describe('sixty removals at an API that takes ten in one request', () => {
  test.each(['an edit', 'a deletion'])('are made by %s', async (by) => {
    const { id, target, behaves } = organization();
    const name = by.replace(' ', '-');
    await orgs.create(name, { ...target, ...list(...numbered(60)), ...REMOVING });
    await orgs.until(name, 'Applied');
    behaves({ mostItems: 10 });
    if (by === 'an edit') {
      const edit = { ...list(), maxPrivateEndpointRemovals: 100 };
      await orgs.create(name, { ...target, ...edit });
      expect(inventoryOf(await orgs.until(name, 'Applied', 60_000))).toEqual([]);
    } else {
      await orgs.remove(name);
      await orgs.untilGone(name, 60_000);
    }
    expect(orgs.ids(id)).toEqual(['theirs']);
    const reasons = (await scene.events(name)).map(({ reason }) => reason);
    expect(reasons).not.toContain('CleanupAbandoned');
  });
});
