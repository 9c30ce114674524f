import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { MINUTE } from '../kinds/stage.ts';
import type { Status } from '../kinds/status.ts';
import { Organization, type Wish } from './scripted-api.ts';

/** An object whose last reply showed what the API still has. */
function known(wish: Wish): Wish {
  const { held, name } = new Organization(wish);
  const organization = {
    name: name ?? '',
    privateEndpoints: held,
    privateEndpointsTotal: held.length,
  };
  return { inventory: '', ...wish, status: { organization, ...wish.status } };
}

async function planned(wish: Wish) {
  const organization = new Organization({ ...wish, spec: { ...wish.spec, mode: 'Plan' } });
  const seen = await organization.run();
  expect([organization.steps, seen.wait]).toEqual(['', undefined]);
  return { ...seen, bodies: seen.status.plan?.requests.map(({ body }) => body) };
}

async function applied(wish: Wish): Promise<readonly string[]> {
  const organization = new Organization(wish);
  await organization.run();
  return organization.stage.bodies;
}

const many = 'x0 x1 x2 x3 x4 x5';
const own = (ids: string) => ({
  held: ids,
  inventory: ids
    .split(' ')
    .map((id) => `${id} Added Present`)
    .join(', '),
});

test.each<readonly [law: string, wish: Wish, requests: number]>([
  ['a removal and a name', { ...own('a b'), ids: 'b c', spec: { name: 'New' } }, 3],
  ['what is adopted', { held: 'a', spec: { adoptPrivateEndpoints: true } }, 1],
  ['too many removals', { ...own(many), spec: { name: 'New' } }, 1],
  ['ours under another region', { ...own('a'), ids: 'a/r2' }, 3],
  ['what was refused and is due', { ids: 'a b', inventory: 'a – Refused refused due' }, 3],
  ['what waits to be seen', { inventory: 'a Added Unconfirmed' }, 1],
])('a plan shows to the letter what an attempt sends: %s', async (_, wish, requests) => {
  const { bodies } = await planned(known(wish));
  expect(bodies).toHaveLength(requests);
  expect(bodies).toEqual(await applied(known(wish)));
});

test('a plan shows to the letter what an attempt sends, whatever is declared, ours and there', async () => {
  const some = fc.subarray(['a', 'b', 'c', 'd']).map((ids) => ids.join(' '));
  const life = fc.record({
    ids: some,
    owned: some,
    others: some,
    moved: some,
    adopt: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(life, async ({ ids, owned, others, moved, adopt }) => {
      const elsewhere = moved
        .split(' ')
        .filter(Boolean)
        .map((id) => `${id}/r2`);
      const there = [...new Set(`${owned} ${others}`.split(' ')), ...elsewhere].join(' ');
      const { inventory } = owned === '' ? { inventory: '' } : own(owned);
      const spec = { adoptPrivateEndpoints: adopt, name: 'New' };
      const wish = known({ ids, held: there, inventory, spec });
      expect((await planned(wish)).bodies).toEqual(await applied(wish));
    }),
    { numRuns: 200, seed: 43 },
  );
});

const pendingChange: Status['pendingChange'] = {
  time: '2026-03-01T12:00:00Z',
  add: [],
  remove: [],
};
test.each<readonly [law: string, wish: Wish, ready: string, message: string]>([
  [
    'nothing is known yet',
    {},
    'False Planned',
    'what follows depends on that list; the state at the API is not known yet',
  ],
  [
    'a change is on its way',
    known({ ...own('a'), status: { pendingChange } }),
    'False Planned',
    'what follows depends on that list',
  ],
  [
    'something would be sent',
    known({ ...own('x'), ids: 'a b', held: 'x b/r2', spec: { name: 'New' } }),
    'False Planned',
    '3 changes planned; not sent: 3 PATCH requests, one after another: read the list, then set the name, add 1 private endpoint, remove 1 private endpoint; not touched: b, because the API has the id elsewhere',
  ],
  [
    'too much would be removed',
    known({ ...own(many), ids: '' }),
    'False Planned',
    '6 private endpoints would be removed (x0, x1, x2, x3 and 2 more), more than spec.maxPrivateEndpointRemovals allows',
  ],
  ['nothing is to be done', known(own('a')), 'True Planned', 'No changes; not sent'],
])('while %s', async (_, wish, ready, message) => {
  const seen = await planned(wish);
  expect([seen.ready, seen.message]).toEqual([ready, expect.stringContaining(message)]);
});

test('a plan keeps its time while it stays the same, and goes with the mode', async () => {
  const organization = new Organization({ spec: { mode: 'Plan' } });
  const { status } = await organization.run();
  expect((await organization.run(MINUTE)).status).toEqual(status);
  organization.stage.edit(organization.id, { mode: 'Apply' });
  expect((await organization.run()).status).not.toHaveProperty('plan');
});
