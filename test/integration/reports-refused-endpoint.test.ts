import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Call } from '../simulator/types.ts';
import { slowClock } from '../support/movable-clock.ts';
import { endpoint, inventoryOf, list, type Organizations } from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ready } from '../support/watching.ts';

/**
 * A status that speaks of one endpoint, and is taken for one of the key or the organization: the
 * same attempt was answered 200 when it observed.
 */
const STATUSES = [403, 404, 409, 410, 423, 424] as const;
const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;

let scene: Scene;
let orgs: Organizations;
beforeAll(async () => {
  scene = await openScene({ start: 'inner', clock: slowClock() });
  orgs = scene.orgs;
});
afterAll(() => scene.end());

/** From now on the API answers this status to whatever holds the bad endpoint of this name. */
function refuses(status: number, ids: { readonly add?: string; readonly remove?: string }): void {
  scene.simulator.play({
    organization: {
      refusedIds: ids.add === undefined ? [] : [ids.add],
      refuseRemoves: ids.remove === undefined ? [] : [ids.remove],
      refusedStatus: status,
    },
  });
}

function expectNobodyBlamed(message: string, bad: string): void {
  expect(message).toContain(bad);
  expect(message).not.toMatch(/\bAPI key\b|\bkey id\b|allow-list|organization .*does not exist/i);
}

function statusesOf(calls: readonly Call[]): number[] {
  return calls.flatMap(({ status }) => (status === undefined ? [] : [status]));
}

describe.each(STATUSES)('one bad endpoint that is answered %i', (status) => {
  test('keeps no other out', async () => {
    const [name, organizationId, bad] = [`add-${status}`, randomUUID(), `bad-${status}`];
    refuses(status, { add: bad });
    await orgs.create(name, { organizationId, ...list('good-1', bad, 'good-2') });
    const object = await orgs.until(name, 'Rejected');
    expect(orgs.ids(organizationId).toSorted()).toEqual(['good-1', 'good-2']);
    expect(inventoryOf(object)).toEqual([
      `${bad} – Refused`,
      'good-1 Added Present',
      'good-2 Added Present',
    ]);
    expect(ready(object).status).toBe('False');
    expectNobodyBlamed(ready(object).message, bad);
    expect(statusesOf(orgs.calls(organizationId))).toContain(status);
  });

  test('keeps no other in when all are removed with their object', async () => {
    const [name, organizationId, bad] = [`remove-${status}`, randomUUID(), `kept-${status}`];
    scene.simulator.setOrganization(organizationId, { add: [endpoint('theirs')] });
    await orgs.create(name, { organizationId, ...list('good-1', bad, 'good-2'), ...REMOVING });
    await orgs.until(name, 'Applied');
    refuses(status, { remove: bad });
    await orgs.remove(name);
    const held = await orgs.untilIt(
      name,
      'the good ones to be gone',
      (one) => one.status.privateEndpoints?.length === 1 && ready(one).reason === 'Rejected',
    );
    expect(orgs.ids(organizationId)).toEqual(['theirs', bad]);
    expectNobodyBlamed(ready(held).message, bad);
    refuses(status, {});
    await orgs.request(name);
    await orgs.untilGone(name);
    expect(orgs.ids(organizationId)).toEqual(['theirs']);
  });
});
