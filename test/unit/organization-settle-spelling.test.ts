import { describe, expect, test } from 'vitest';
import { LIMITS, type Reported } from '../../src/kinds/organization/endpoints.ts';
import { at, e, entry, goal } from '../support/organization-entries.ts';
import { ADD, ADOPT, said, settled, UNLISTED } from '../support/settlement.ts';

describe('the same endpoint', () => {
  test.each<readonly [sentence: string, reported: Reported]>([
    ['in capitals', { id: 'A', cloudProvider: 'GCP', region: 'R1' }],
    ['with blanks around', { id: ' a ', cloudProvider: 'gcp ', region: ' r1' }],
    ['with a region that the list leaves out', { id: 'a', cloudProvider: 'gcp' }],
    ['with nothing but its id', { id: 'a' }],
  ])('is one that the list has %s', (_, reported) => {
    expect(said(settled({ inventory: [entry('a')], list: [reported] }))).toMatch(/Added Present$/);
    expect(settled({ ...ADD, list: [reported] }).added).toHaveLength(1);
    expect(said(settled({ list: [reported] }))).toMatch(/Found Present$/);
    expect(said(settled({ list: [reported], goal: ADOPT }))).toMatch(/Adopted Present$/);
  });

  test('is kept as the list writes it, since a removal must name it so', () => {
    const reported = { id: 'A', cloudProvider: ' GCP', region: 'r1' };
    const { inventory, added } = settled({ ...ADD, answered: true, list: [reported] });
    expect([inventory, added]).toMatchObject([[reported], [reported]]);
  });

  test('is still known by a change that wrote it otherwise', () => {
    const going = { inventory: [entry('A')], remove: [e('A')], goal: UNLISTED };
    expect(said(settled({ ...going, list: ['a'] }))).toBe('a Added Removing; change open');
    expect(said(settled(going))).toBe('removed A');
    const listed = goal([], { privateEndpoints: [e('A', { cloudProvider: 'GCP' })] });
    expect(said(settled({ inventory: [entry('a')], list: ['a'], goal: listed }))).toBe(
      'a Added Present',
    );
  });

  test('is in the inventory once, however often the list has it', () => {
    const list = ['a', 'A', e('a', { region: ' R1' }), 'a'];
    expect(said(settled({ list }))).toBe('a Found Present');
    expect(said(settled({ ...ADD, list, answered: true }))).toBe('a Added Present; added a');
    expect(said(settled({ inventory: [entry('a')], list }))).toBe('a Added Present');
  });

  test('keeps the description that the list has', () => {
    const list = [{ ...e('a'), description: 'db' }];
    expect(settled({ list }).inventory).toMatchObject([{ description: 'db' }]);
  });
});

describe('another endpoint', () => {
  test.each<readonly [sentence: string, reported: Reported]>([
    ['another provider', e('a', { cloudProvider: 'aws' })],
    ['another region', e('a', { region: 'r2' })],
    ['a longer id', e('ab')],
    ['a letter that only looks like it', e('а')],
    ['a blank inside', e('a', { region: 'r 1' })],
    ['a region too long to be kept', e('a', { region: 'r'.repeat(65) })],
  ])('is one with %s', (_, reported) => {
    expect(said(settled({ list: [reported] }))).toBe('nothing');
    expect(said(settled({ inventory: [entry('a')], list: [reported] }))).toBe('a Added Missing');
    expect(said(settled({ ...ADD, list: [reported] }))).toBe('a Added Unconfirmed; change open');
  });
});

describe('a list beyond all measure', () => {
  const many = (count: number, one: (index: number) => Reported): Reported[] =>
    Array.from({ length: count }, (_, index) => one(index));

  test.each<readonly [sentence: string, list: readonly Reported[]]>([
    ['10,000 entries', [...many(10_000, (index) => e(`theirs-${index}`)), e('a')]],
    ['one entry 10,000 times', many(10_000, () => e('a'))],
    [
      'one id in 10,000 regions',
      [...many(10_000, (index) => e('a', { region: `x${index}` })), e('a')],
    ],
  ])('of %s shows each endpoint once', (_, list) => {
    expect(said(settled({ list }))).toBe('a Found Present');
  });

  test('finds no more than the inventory holds, and loses nothing of ours for it', () => {
    const ours = many(LIMITS.inventory - 1, (index) => e(`x${index}`));
    const inventory = ours.map(({ id }) => entry(id));
    const after = settled({ inventory, goal: goal(['a', 'b']), list: [...ours, e('a'), e('b')] });
    expect(after.inventory).toHaveLength(LIMITS.inventory);
    expect(after.inventory.filter(({ origin }) => origin === 'Added')).toHaveLength(ours.length);
  });
});

test('a time that cannot be read is long past', () => {
  const inventory = [entry('a', { state: 'Missing', since: 'never' })];
  expect(said(settled({ inventory }))).toBe('event vanished a');
  const open = [entry('a', { state: 'Removing', since: undefined, nextAttemptTime: at(0) })];
  expect(said(settled({ inventory: open, list: ['a'] }))).toBe('a Added Present');
});
