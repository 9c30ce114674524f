import { expect, test } from 'vitest';
import { blamedFor } from '../../src/kinds/organization/attempt/refused-change.ts';
import { e } from '../support/organization-entries.ts';

function blamed(
  text: string,
  change: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
) {
  const add = (change.add ?? []).map((id) => e(id));
  const remove = (change.remove ?? []).map((id) => e(id));
  return blamedFor({ add, remove }, text).map(({ id }) => id);
}

const ABC = { add: ['a-1', 'a-2', 'a-3'] };

test.each([
  ['endpoint a-2 is not valid', ['a-2']],
  ["'a-2', (a-3): not valid", ['a-2', 'a-3']],
  ['a-2.', ['a-2']],
  ['A-2 is not valid', ['a-2']],
  ['not valid: a-2, a-22', ['a-2']],
  ['"add":["a-3"]', ['a-3']],
])('of the ids sent, those that the text names: %s', (text, ids) => {
  expect(blamed(text, ABC)).toEqual(ids);
});

test.each([
  ['none of them', 'that is not allowed'],
  ['all of them', 'a-1, a-2 and a-3 are too many'],
  ['a longer id', 'endpoint a-22 is not valid'],
  ['an id that ends so', 'endpoint vpc/a-2 is not valid'],
  ['an id that goes on after a dot', 'endpoint a-2.example is not valid'],
  ['an id that goes on after a colon', 'endpoint a-2:b is not valid'],
  ['an id with a tilde', 'endpoint a-2~ is not valid'],
])('where the text names %s, nobody is to blame, and the rest goes in smaller parts', (_, text) => {
  expect(blamed(text, ABC)).toEqual([]);
});

test('an id is found behind a longer one that it is a part of', () => {
  expect(blamed('a-22 is fine, a-2 is not', ABC)).toEqual(['a-2']);
});

test('of removals and adds together, only those that are named', () => {
  expect(blamed('a-9 is attached', { add: ['a-1'], remove: ['a-9'] })).toEqual(['a-9']);
});

test('a change of one is to blame whatever the text, and removals together are', () => {
  expect(blamed('no', { add: ['a-1'] })).toEqual(['a-1']);
  expect(blamed('no', { remove: ['a-1', 'a-2'] })).toEqual(['a-1', 'a-2']);
  expect(blamed('no', { add: ['a-3'], remove: ['a-1', 'a-2'] })).toEqual([]);
});

test('odd characters of an id are letters, not a pattern', () => {
  expect(blamed('bad: x.*', { add: ['x.*', 'xyz'] })).toEqual(['x.*']);
  expect(blamed('bad: /sub/(a)/b', { add: ['/sub/(a)/b', 'c'] })).toEqual(['/sub/(a)/b']);
});
