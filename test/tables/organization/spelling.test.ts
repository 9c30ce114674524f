import { describe, expect, test } from 'vitest';
import { decide, goalOf } from '../../../src/kinds/organization/decide.ts';
import { Listing } from '../../../src/kinds/organization/endpoints.ts';
import { settle } from '../../../src/kinds/organization/settle.ts';
import { at, SECOND, T0 } from '../kinds/stage.ts';
import { e, goalIn, inventoryOf, type Reported, SETTLE_MS, specOf } from './endpoints.ts';
import { type Evidence, said } from './settlement.ts';

const settled = (list: readonly Reported[], more: Partial<Evidence> = {}) =>
  settle({
    goal: goalIn('a'),
    inventory: [],
    list: new Listing(list),
    askedAt: T0 + SECOND,
    now: T0 + SECOND,
    settleMs: SETTLE_MS,
    uid: 'uid-1',
    ...more,
  });
const added = (...ids: string[]) => ({ time: at(0), add: ids.map((id) => e(id)), remove: [] });

describe('the same endpoint', () => {
  test.each<[string, Reported]>([
    ['in capitals', { id: 'A', cloudProvider: 'GCP', region: 'R1' }],
    ['with blanks around', { id: ' a ', cloudProvider: 'gcp ', region: ' r1' }],
    ['without a region', { id: 'a', cloudProvider: 'gcp' }],
    ['with nothing but its id', { id: 'a' }],
  ])('is one that the list has %s', (_, reported) => {
    const sent = { change: added('a'), answered: false };
    expect(said(settled([reported], { inventory: inventoryOf('a Added Present') }))).toMatch(
      /Added Present$/,
    );
    expect(settled([reported], { sent }).added).toHaveLength(1);
    expect(said(settled([reported]))).toMatch(/Found Present$/);
  });

  test('is kept as the list writes it, and with its description, since a removal must name it so', () => {
    const reported = { id: 'A', cloudProvider: ' GCP', region: 'r1', description: 'db' };
    const { inventory } = settled([reported]);
    expect(inventory).toMatchObject([reported]);
    const ours = inventory.map((entry) => ({ ...entry, origin: 'Added' as const }));
    const question = { goal: goalIn(''), inventory: ours, list: new Listing([reported]), now: T0 };
    expect(decide({ ...question, name: undefined }).remove).toMatchObject([
      { id: 'A', cloudProvider: ' GCP', region: 'r1' },
    ]);
  });

  test('is in the inventory once, however often and however large the list has it', () => {
    const list = Array.from({ length: 10_000 }, (_, index) => e(index % 2 === 0 ? 'a' : 'A'));
    expect(said(settled(list))).toBe('a Found Present');
    expect(said(settled(list, { inventory: inventoryOf('a Added Present') }))).toBe(
      'a Added Present',
    );
  });
});

test.each<[string, Reported]>([
  ['another provider', e('a', { cloudProvider: 'aws' })],
  ['another region', e('a/r2')],
  ['a longer id', e('ab')],
  ['a letter that only looks like it', e('а')],
  ['a blank inside', e('a', { region: 'r 1' })],
  ['a region too long to be kept', e('a', { region: 'r'.repeat(65) })],
])('another endpoint is one with %s', (_, reported) => {
  expect(said(settled([reported]))).toBe('nothing');
  const inventory = inventoryOf('a Added Present');
  expect(said(settled([reported], { inventory }))).toBe('a Added Missing');
});

test('the inventory has at most 220 entries: nothing more is found or added, and ours stay', () => {
  const ids = Array.from({ length: 219 }, (_, index) => `x${index}`);
  const inventory = inventoryOf(ids.map((id) => `${id} Added Present`).join(', '));
  const list = [...ids, 'a', 'b'].map((id) => e(id));
  const goal = goalOf({ ...specOf('a b'), maxPrivateEndpointRemovals: 100 });
  const found = settled(list, { goal, inventory });
  expect([found.inventory.length, found.inventory.at(-1)?.id]).toEqual([220, 'a']);
  const question = { goal, inventory, list: new Listing([]), name: undefined, now: T0 };
  expect(decide(question).add.map(({ id }) => id)).toEqual(['a']);
});
