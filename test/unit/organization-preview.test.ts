import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { preview } from '../../src/kinds/organization/preview.ts';
import type { InventoryEntry } from '../../src/kinds/organization/resource.ts';
import { MINUTE, SECOND } from '../support/objects.ts';
import { type AttemptRig, type AttemptWish, attemptOn } from '../support/organization-attempt.ts';
import { appliedStatus, at, e, entry } from '../support/organization-entries.ts';

/** An object whose last reply showed what the API still has. */
function known(wish: AttemptWish & { readonly inventory?: InventoryEntry[] }): AttemptRig {
  const { inventory = [], name = 'Acme', held = [] } = wish;
  const list = held.map((one) => (typeof one === 'string' ? e(one) : one));
  const organization = { name, privateEndpoints: [...list], privateEndpointsTotal: list.length };
  return attemptOn({
    ...wish,
    name,
    status: { ...appliedStatus(inventory, { organization }), ...wish.status },
  });
}

const OBSERVE_BODY = '{"privateEndpoints":{"add":[],"remove":[]}}';
const shown = (rig: AttemptRig) => preview(rig.object, rig.now);
const bodies = (rig: AttemptRig) => shown(rig).requests.map(({ body }) => body);

type Row = readonly [sentence: string, wish: Parameters<typeof known>[0], requests: number];
const many = Array.from({ length: 6 }, (_, index) => `x${index}`);
const own = (...ids: readonly string[]) => ({ held: ids, inventory: ids.map((id) => entry(id)) });

describe('a preview shows to the letter what an attempt sends', () => {
  test.each<Row>([
    ['for an add', {}, 2],
    [
      'with a description',
      { ids: [], spec: { privateEndpoints: [{ ...e('a'), description: 'db' }] } },
      2,
    ],
    [
      'for a removal, as the API writes it',
      { ids: [], held: [e(' A')], inventory: [entry(' A')] },
      2,
    ],
    ['for a name', { ids: undefined, spec: { name: 'New' } }, 2],
    ['for all of them', { ...own('a', 'b'), ids: ['b', 'c'], spec: { name: 'New' } }, 3],
    ['for nothing to do', { ...own('a') }, 1],
    ['for what is adopted', { held: ['a'], spec: { adoptPrivateEndpoints: true } }, 1],
    ['for too many removals', { ...own(...many), ids: ['a'], spec: { name: 'New' } }, 1],
    ['for a conflict', { held: [e('a', { region: 'r2' })] }, 1],
    [
      'for ours under another region: removed first, added then',
      { ...own('a'), ids: [], spec: { privateEndpoints: [e('a', { region: 'r2' })] } },
      3,
    ],
    [
      'for what was refused and waits',
      { inventory: [{ ...e('a'), state: 'Refused', lastError: {}, nextAttemptTime: at(MINUTE) }] },
      1,
    ],
    [
      'for what was refused and is due',
      { inventory: [{ ...e('a'), state: 'Refused', lastError: {}, nextAttemptTime: at(-MINUTE) }] },
      2,
    ],
    [
      'for what goes one at a time after a refusal',
      {
        ids: ['a', 'b'],
        inventory: [{ ...e('a'), state: 'Refused', lastError: {}, nextAttemptTime: at(0) }],
      },
      3,
    ],
    [
      'for what is Missing since a minute',
      { inventory: [entry('a', { state: 'Missing', since: at(-MINUTE) })] },
      2,
    ],
    [
      'for what is Missing since seconds',
      { inventory: [entry('a', { state: 'Missing', since: at(-SECOND) })] },
      1,
    ],
    [
      'for what waits to be seen',
      {
        inventory: [
          entry('a', {
            state: 'Unconfirmed',
            since: at(-SECOND),
            nextAttemptTime: at(94 * SECOND),
          }),
        ],
      },
      1,
    ],
    [
      'for what was given up and waits',
      {
        inventory: [
          entry('a', {
            state: 'Unconfirmed',
            since: at(-2 * MINUTE),
            nextAttemptTime: at(8 * MINUTE),
          }),
        ],
      },
      1,
    ],
  ])('%s', async (_, wish, requests) => {
    const rig = known(wish);
    const sent = bodies(rig);
    expect(sent).toHaveLength(requests);
    await rig.run();
    expect(sent).toEqual(rig.bodies);
  });

  test('whatever is declared, ours and there', async () => {
    const some = fc.subarray(['a', 'b', 'c', 'd']);
    const given = fc.record({
      ids: some,
      owned: some,
      others: some,
      moved: fc.subarray(['c', 'd']),
      adopt: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ ids, owned, others, moved, adopt }) => {
        const held = [
          ...new Set([...owned, ...others]),
          ...moved.map((id) => e(id, { region: 'r2' })),
        ];
        const inventory = owned.map((id) => entry(id));
        const rig = known({
          ids,
          held,
          inventory,
          spec: { adoptPrivateEndpoints: adopt, name: 'New' },
        });
        const sent = bodies(rig);
        await rig.run();
        expect(sent).toEqual(rig.bodies);
      }),
      { numRuns: 1_000, seed: 43 },
    );
  });
});

describe('a preview', () => {
  test.each<readonly [sentence: string, rig: AttemptRig]>([
    ['nothing is known yet', attemptOn({})],
    [
      'a change is on its way',
      known({ status: { pendingChange: { time: at(0), add: [e('a')], remove: [] } } }),
    ],
  ])('shows only what reads the list while %s', (_, rig) => {
    const { requests, basis, says } = shown(rig);
    expect(requests.map(({ body }) => body)).toEqual([OBSERVE_BODY]);
    expect(basis).toBe('Unknown');
    expect(says).toMatch(/reads the list of private endpoints; what follows depends on that list$/);
  });

  test('says what would be sent, and what not', () => {
    const moved = known({
      ...own('x'),
      ids: ['a', 'b'],
      held: ['x', e('b', { region: 'r2' })],
      spec: { name: 'New' },
    });
    const { does, says, changes } = shown(moved);
    expect(does).toBe('send');
    expect(says).toMatch(
      /^3 PATCH requests, one after another: read the list, then set the name, add 1 private endpoint, remove 1 private endpoint; not touched: b/,
    );
    expect(changes.map(({ field }) => field)).toEqual([
      'name',
      'privateEndpoints[a]',
      'privateEndpoints[x]',
    ]);
  });

  test('says that too many would be removed', () => {
    const { does, says } = shown(known({ ...own(...many), ids: [] }));
    expect(does).toBe('blocked');
    expect(says).toMatch(
      /6 private endpoints would be removed .*more than spec.maxPrivateEndpointRemovals allows/,
    );
  });

  test('has the path of the organization', () => {
    const [{ method, path } = {}] = shown(known({})).requests;
    expect([method, path]).toEqual([
      'PATCH',
      '/v1/organizations/0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
    ]);
  });
});
