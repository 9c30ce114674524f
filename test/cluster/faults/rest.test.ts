import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { audit } from '../../controlplane/client.ts';
import { PLURALS } from '../../support/kinds.ts';
import { list } from '../../support/organizations.ts';
import { pathOf } from '../../support/pipe-settings.ts';
import { openSceneOfTest, type Scene } from '../../support/scene.ts';
import { settled } from '../../support/watching.ts';

/** In which the watch of each kind has ended and been opened again. */
const REST_MS = 60_000;

/** Some of each kind: applied, fetched, refused with a long wait, planned and suspended. */
async function populate(scene: Scene): Promise<void> {
  const make = async (name: string, reason: string, spec = {}): Promise<void> => {
    await scene.psets.create(name, spec);
    await scene.psets.until(name, reason);
  };
  for (const name of ['refused-1', 'refused-2'])
    scene.simulator.always({ status: 422, error: 'no' }, { pathIncludes: pathOf(name) });
  scene.acts.record('record');
  await scene.acts.create('record');
  await scene.orgs.create('acme', { name: 'Acme', ...list('a', 'b') });
  await Promise.all([
    make('refused-1', 'Rejected'),
    make('refused-2', 'Rejected'),
    make('suspended', 'Suspended', { suspend: true }),
    make('planned', 'Planned', { mode: 'Plan' }),
    make('asserted', 'Applied', { reassertInterval: '24h' }),
    ...Array.from({ length: 10 }, (_, nth) => make(`plain-${nth}`, 'Applied')),
  ]);
  await scene.acts.until('record', 'Fetched');
  await scene.orgs.until('acme', 'Applied');
  await settled(scene);
}

test('a minute at rest as leader costs the renewals of the Lease and nothing else', async () => {
  const scene = await openSceneOfTest({ lease: true });
  await populate(scene);
  const [calls, from] = [scene.simulator.callCount(), Date.now()];
  await pause(REST_MS);
  const since = (await audit({ user: scene.user })).filter(({ received }) => received >= from);
  expect(scene.simulator.callCount()).toBe(calls);
  const [watches, others] = [
    since.filter(({ verb }) => verb === 'watch'),
    since.filter(({ verb }) => verb !== 'watch'),
  ];
  const watched = [...new Set(watches.map(({ resource }) => resource))].toSorted();
  expect(watched).toEqual(PLURALS);
  const requests = others.map(({ verb, resource }) => `${verb} ${resource}`);
  expect(requests.filter((one) => !/^(update|get) leases$/.test(one))).toEqual([]);
  // Every 2 s the Lease is read and renewed; a slow machine may miss some.
  expect(requests.length).toBeGreaterThan(20);
  expect(requests.length).toBeLessThanOrEqual(2 * ((Date.now() - from) / 2_000 + 2));
});
