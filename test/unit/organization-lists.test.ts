import { describe, expect, test } from 'vitest';
import { Listing, type Reported, readList } from '../../src/kinds/organization/endpoints.ts';
import { shownIn } from '../../src/kinds/organization/observation.ts';
import { e } from '../support/organization-entries.ts';

const many = <T>(count: number, one: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => one(index));

describe('a list', () => {
  test.each<[string, Record<string, unknown>]>([
    ['is absent', {}],
    ['is null', { privateEndpoints: null }],
    ['is a text', { privateEndpoints: 'psc-1' }],
    ['is an object', { privateEndpoints: { 0: e('a'), length: 1 } }],
    [
      'has entries, and none with an id',
      { privateEndpoints: [{ region: 'r1' }, null, 'a', 7, [], { id: '' }, { id: {} }] },
    ],
    ['stands in the prototype', Object.create({ privateEndpoints: [] }) as Record<string, unknown>],
  ])('that %s is unknown', (_, result) => {
    expect(readList(result)).toBeUndefined();
  });

  test('that is empty is empty', () => {
    expect(readList({ privateEndpoints: [] })).toEqual([]);
  });

  test('keeps what can be read of it, and takes numbers for texts', () => {
    const odd = [
      null,
      'a',
      { id: 7, region: 1 },
      { region: 'r1' },
      { id: 'a', cloudProvider: '', description: {} },
    ];
    expect(readList({ privateEndpoints: odd })).toEqual([{ id: '7', region: '1' }, { id: 'a' }]);
  });
});

describe('an endpoint in a list', () => {
  const spelled: readonly Reported[] = [
    e('A'),
    { id: ' a', cloudProvider: 'GCP' },
    e('a', { region: 'r2' }),
    e('ab'),
  ];
  const list = new Listing(spelled);

  test('is found in any case and with blanks around', () => {
    expect(list.find(e('a'))).toBe(spelled[0]);
    expect(list.find(e('b'))).toBeUndefined();
    expect(
      new Listing([e('a', { region: 'r2' })]).find(e('a')),
      'in another region',
    ).toBeUndefined();
  });

  test('has its likes by id, whatever their place', () => {
    expect(list.withId(' A ')).toEqual(spelled.slice(0, 3));
  });
});

describe('a list beyond all measure', () => {
  test('is shown with its first 200 and the total, cut to what the status takes', () => {
    const long = 'x'.repeat(2_000);
    const entries = many(10_000, (index) => ({
      id: `${index}${long}`,
      cloudProvider: long,
      region: long,
      description: long,
    }));
    const result = { privateEndpoints: entries, name: long };
    const shown = shownIn(result, readList(result), {});
    expect(shown.privateEndpointsTotal).toBe(10_000);
    expect(shown.privateEndpoints).toHaveLength(200);
    const [first] = shown.privateEndpoints ?? [];
    const lengths = [first?.id, first?.cloudProvider, first?.region, first?.description].map(
      (text) => text?.length,
    );
    expect(lengths).toEqual([512, 64, 64, 64]);
    expect(shown.name).toHaveLength(256);
  });
});

test('a reply without a list shows the one before it', () => {
  const before = {
    organization: { privateEndpoints: [e('a')], privateEndpointsTotal: 7, name: 'Old' },
  };
  const shown = shownIn({ name: 'New' }, undefined, before);
  expect(shown).toEqual({ name: 'New', privateEndpoints: [e('a')], privateEndpointsTotal: 7 });
});
