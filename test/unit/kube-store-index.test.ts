import { expect, test } from 'vitest';
import { StoreIndex } from '../../src/kube/cache/store-index.ts';

interface Filed {
  readonly under: string | undefined;
}

const a: Filed = { under: 'x' };
const b: Filed = { under: 'x' };
const c: Filed = { under: 'x' };
const elsewhere: Filed = { under: 'y' };

function indexOf(...objects: Filed[]): StoreIndex<Filed> {
  const index = new StoreIndex<Filed>(({ under }) => under);
  for (const object of objects) index.move(undefined, object);
  return index;
}

test('none, one and several are found in the order in which they came', () => {
  expect(indexOf().find('x')).toEqual([]);
  expect(indexOf(a).find('x')).toEqual([a]);
  const found = indexOf(a, elsewhere, b, c).find('x');
  expect(found.map((object) => [a, b, c].indexOf(object))).toEqual([0, 1, 2]);
});

test('a new version comes last, whether alone or among others', () => {
  const newer: Filed = { under: 'x' };
  const alone = indexOf(a);
  alone.move(a, newer);
  expect(alone.find('x')[0]).toBe(newer);
  const among = indexOf(a, b);
  among.move(a, newer);
  expect(among.find('x')[0]).toBe(b);
  expect(among.find('x')[1]).toBe(newer);
  expect(among.find('x')).toHaveLength(2);
});

test('what goes or moves is found no longer, down to the last and up again', () => {
  const index = indexOf(a, b);
  index.move(a, elsewhere);
  expect(index.find('x')).toEqual([b]);
  expect(index.find('y')).toEqual([elsewhere]);
  index.move(b, undefined);
  expect(index.find('x')).toEqual([]);
  index.move(undefined, c);
  expect(index.find('x')).toHaveLength(1);
  expect(index.find('x')[0]).toBe(c);
});

test('one that is not filed, or that another one has taken the place of, takes nobody along', () => {
  const index = indexOf(a, { under: undefined });
  index.move({ under: 'x' }, undefined);
  expect(index.find('x')[0]).toBe(a);
});
