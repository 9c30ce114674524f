import { beforeEach, describe, expect, test } from 'vitest';
import { organizationType } from '../../src/kinds/organization/resource.ts';
import { waitFor } from '../controlplane/client.ts';
import { putStatus } from '../support/crd.ts';
import type { InnerOperator } from '../support/inner-operator.ts';
import { slowClock } from '../support/movable-clock.ts';
import {
  endpoint,
  inventoryOf,
  list,
  type Org,
  type Organizations,
} from '../support/organizations.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { isNow } from '../support/scene-objects.ts';
import { ready } from '../support/watching.ts';

/** An outage is no property of the API, and what a status does not say is not known. */

const REMOVING = { deletionPolicy: 'RemovePrivateEndpoints' } as const;
const NAMED = { name: 'Acme', ...list('ours'), ...REMOVING };

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
  await orgs.create('acme', NAMED);
  await orgs.until('acme', 'Applied');
  return () => scene.end();
});

/** Turns the clock on to each time in the status until the object fits, or is gone. */
async function turnUntil(what: string, fits: (object: Org | undefined) => boolean): Promise<void> {
  const present = async () => (await orgs.list()).find(({ metadata }) => metadata.name === 'acme');
  await waitFor(async () => ({ object: await present() }), {
    what,
    until: ({ object }) => {
      if (fits(object)) return true;
      const left = Date.parse(object?.status.nextAttemptTime ?? '') - operator.clock.now();
      if (left > 0 && operator.isIdle()) operator.clock.advance(left + 1);
      return false;
    },
  });
}

const isApplied = (object: Org | undefined): boolean =>
  object !== undefined && isNow(object, 'Applied');

describe('an outage of three 503s', () => {
  beforeEach(() => scene.simulator.next({ status: 503, body: 'html' }, { times: 3 }));

  test('does not make an observation write the name', async () => {
    scene.simulator.setOrganization(orgs.held().id, { name: 'Somebody else gave it' });
    const before = orgs.said().length;
    await orgs.request('acme');
    await turnUntil(
      'acme to be applied again',
      (object) => isApplied(object) && orgs.held().name === 'Acme',
    );
    expect(orgs.said().slice(before)).toEqual(['look', 'look', 'look', 'look', 'name']);
    const { status } = await orgs.get('acme');
    expect(JSON.stringify(status['drift'])).toContain('Somebody else gave it');
  });

  test('does not either where the object is being deleted', async () => {
    scene.simulator.setOrganization(orgs.held().id, { name: 'Somebody else gave it' });
    const before = orgs.said().length;
    await orgs.remove('acme');
    await turnUntil('acme to be gone', (object) => object === undefined);
    expect(new Set(orgs.said().slice(before))).toEqual(new Set(['look', '-ours']));
    expect(orgs.held().name).toBe('Somebody else gave it');
    expect(orgs.ids()).toEqual(['theirs']);
  });
});

test('an API that answers three empty changes with a 500 of its own is observed by the declared name', async () => {
  scene.simulator.play({ organization: { emptyLists: 'server-error' } });
  const before = orgs.said().length;
  await orgs.create('acme', { ...NAMED, ...list('ours', 'more') });
  await turnUntil('acme to be applied', isApplied);
  const said = orgs.said().slice(before);
  expect(said.slice(0, 3)).toEqual(['look', 'look', 'look']);
  expect(said).toContain('name');
  expect(orgs.ids()).toEqual(['theirs', 'ours', 'more']);
});

test('an inventory that somebody wiped makes ours Found, with an event that names it', async () => {
  const { status } = await orgs.get('acme');
  const { privateEndpoints: _, ...wiped } = status;
  expect((await putStatus(scene.namespace, 'acme', wiped, organizationType)).status).toBe(200);
  await orgs.request('acme');
  const object = await orgs.untilIt('acme', 'its endpoint to be found', (one) =>
    inventoryOf(one).includes('ours Found Present'),
  );
  expect(ready(object).reason).toBe('Applied');
  const named = await waitFor(() => scene.events('acme'), {
    what: 'an event that names it',
    until: (events) => events.some(({ note }) => note.includes('ours (')),
  });
  expect(named.length).toBeGreaterThan(0);
});
