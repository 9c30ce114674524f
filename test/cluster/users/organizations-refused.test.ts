import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OrganizationBehaviour } from '../../simulator/manners.ts';
import {
  endpoint,
  inventoryOf,
  list,
  type Org,
  type Organizations,
} from '../../support/organizations.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { ready, side } from '../../support/watching.ts';

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
test.each([400, 403, 404, 409, 410, 423, 424])(
  'one of three that is answered %i keeps no other out or in, by an edit and by a deletion',
  async (refusedStatus) => {
    const { id, target, behaves, changes } = organization();
    const name = `answered-${refusedStatus}`;
    behaves({ refusedIds: ['bad'], refusedStatus });
    await orgs.create(name, { ...target, ...list('a', 'bad', 'b'), ...REMOVING });
    const added = await orgs.until(name, 'Rejected');
    expect(changes()).toEqual(['+a+bad+b', '+a', '+bad', '+b']);
    expect(inventoryOf(added)).toEqual(['a Added Present', 'b Added Present', 'bad – Refused']);
    expect(side(added)).toBe('Stalled');
    expectNobodyBlamed(ready(added).message, '1 of 3 private endpoints (bad)');

    behaves({ refuseRemoves: ['a'], refusedStatus });
    await orgs.create(name, { ...target, ...list(), ...REMOVING });
    const kept = await orgs.until(name, 'Rejected');
    expect(changes().slice(4)).toEqual(['-a', '-b']);
    expect(kept.status.privateEndpoints).toMatchObject([
      { id: 'a', origin: 'Added', lastError: { httpStatus: refusedStatus } },
    ]);
    expect(kept.status.pendingChange).toBeUndefined();
    expectNobodyBlamed(ready(kept).message, 'the removal of a');

    await orgs.remove(name);
    const isRefused = (one: Org) => ready(one).message.startsWith('Being deleted');
    await orgs.untilIt(name, 'a refused deletion', isRefused);
    behaves({ refuseRemoves: [] });
    await orgs.request(name);
    await orgs.untilGone(name);
    expect(orgs.ids(id)).toEqual(['theirs']);
  },
);

test('sixty removals at an API that takes ten in one request are made, in an edit and in a deletion', async () => {
  const { id, target, behaves } = organization();
  for (const isDeleted of [false, true]) {
    behaves({});
    await orgs.create('sixty', { ...target, ...list(...numbered(60)), ...REMOVING });
    await orgs.until('sixty', 'Applied');
    behaves({ mostItems: 10 });
    if (isDeleted) {
      await orgs.remove('sixty');
      await orgs.untilGone('sixty', 60_000);
    } else {
      const emptied = { ...target, ...list(), ...REMOVING, maxPrivateEndpointRemovals: 100 };
      await orgs.create('sixty', emptied);
      await orgs.until('sixty', 'Applied', 60_000);
    }
    expect(orgs.ids(id)).toEqual(['theirs']);
  }
});
