import { describe, expect, test } from 'vitest';
import { decide, goalOf, nextChange } from '../../../src/kinds/organization/decide.ts';
import { T0 } from '../kinds/objects.ts';
import { rows } from '../kinds/rows.ts';
import {
  all,
  type Entry,
  e,
  type Goal,
  goalIn,
  inventoryOf,
  listing,
  specOf,
} from './endpoints.ts';

type Decision = ReturnType<typeof decide>;

/** An empty list is given as `-`, an unknown one as `?`; else it is what is Present or Removing. */
function decided(goal: Goal, inventory: readonly Entry[], list = ''): Decision {
  const there = inventory.filter(({ state }) => state === 'Present' || state === 'Removing');
  const shown = there.map(({ id, region }) => `${id}/${region}`).join(' ');
  const known = list === '?' ? undefined : listing(all(list === '-' ? '' : list || shown));
  return decide({ goal, inventory, list: known, name: goal.name, now: T0 });
}

/** `+a; -b; conflict c`. */
function said({ add, remove, conflicts, blocked }: Decision): string {
  const parts = [
    ...add.map(({ id, region }) => `+${id}${region === 'r1' ? '' : `/${region}`}`),
    ...remove.map(({ id }) => `-${id}`),
    ...conflicts.map(({ id }) => `conflict ${id}`),
    ...(blocked ? [`blocked ${blocked.length}`] : []),
  ];
  return parts.join('; ') || 'nothing';
}

const TABLES: Readonly<Record<string, string>> = {
  'what is listed and not there is added, when its time has come; untried ones come first': `
    spec      | inventory                               | list | then
    a b       | b Added Present                         |      | +a
    a         | a Found Present                         |      | nothing
    a         |                                         | ?    | nothing
    absent    |                                         |      | nothing
    a         | a Added Missing                         |      | nothing
    a         | a Added Unconfirmed waiting             |      | nothing
    a         | a Added Unconfirmed due                 |      | +a
    a         | a Added Removing due                    |      | nothing
    a         | a – Refused waiting                     |      | nothing
    a         | a – Refused due                         |      | +a
    a b       | a – Refused due                         |      | +b; +a
    a         | A Added Present                         |      | nothing
  `,
  'what is ours, there and no longer listed is removed; never what was found': `
    spec      | inventory                               | list | then
              | a Added Present                         |      | -a
              | a Adopted Present                       |      | -a
              | a Found Present                         |      | nothing
              | a Added Missing                         |      | nothing
              | a Added Removing                        |      | nothing
              | a Added Unconfirmed                     |      | nothing
              | a Added Present refused due             |      | -a
    absent    | a Added Present                         |      | nothing
              | a Added Present                         | ?    | nothing
    deleted a | a Added Present, b Added Present        |      | -a; -b
    deleted   | a Added Present, b Found Present        |      | -a
  `,
  'an id that the list has elsewhere is kept back; where it is ours there, that goes first': `
    spec      | inventory                               | list   | then
    a         |                                         | a/r2   | conflict a
    a b       |                                         | a/r2   | +b; conflict a
    a/r2      | a Added Present                         |        | -a
    a/r2      | a Added Removing                        |        | nothing
    a/r2      | a Added Missing                         | -      | nothing
    a/r2      |                                         | -      | +a/r2
              | a Added Present                         | a a/r3 | conflict a
    a/r2      |                                         | a      | conflict a
  `,
};

describe.each(Object.entries(TABLES))('%s', (_, table) => {
  test.each(rows<'spec' | 'inventory' | 'list' | 'then'>(table))(
    'spec "$spec", inventory "$inventory", list "$list": $then',
    ({ spec, inventory, list, then }) =>
      expect(said(decided(goalIn(spec), inventoryOf(inventory), list))).toBe(then),
  );
});

test('on deletion what others list stays', () => {
  const inventory = inventoryOf('a Added Present, b Added Present');
  expect(said(decided(goalIn('deleted a', 'A'), inventory))).toBe('-b');
});

describe('more removals than spec.maxPrivateEndpointRemovals are blocked', () => {
  const many = (count: number, is: string) =>
    inventoryOf(Array.from({ length: count }, (_, index) => `x${index} ${is}`).join());
  const blocked = (count: number, is: string, more: object = {}, list = '') =>
    decided(goalOf({ ...specOf('new'), ...more }), many(count, is), list).blocked?.length;

  test.each([
    [{}, 5],
    [{ maxPrivateEndpointRemovals: 0 }, 0],
    [{ maxPrivateEndpointRemovals: 100 }, 100],
  ])('%j allows %i', (more, allowed) => {
    expect(blocked(allowed, 'Added Present', more)).toBeUndefined();
    expect(blocked(allowed + 1, 'Added Present', more)).toBe(allowed + 1);
  });

  test.each([
    ['Added Missing', 6],
    ['Added Present waiting', 6],
    ['Adopted Present', 6],
    ['Found Present', undefined],
    ['Added Removing', undefined],
  ])('what is %s counts: %s', (is, count) => {
    expect(blocked(6, is)).toBe(count);
  });

  test('also before any list is known; but not on deletion', () => {
    expect(blocked(6, 'Added Present', {}, '?')).toBe(6);
    const deletion = decided(goalIn('deleted'), many(120, 'Added Present'));
    expect([deletion.blocked, deletion.remove.length]).toEqual([undefined, 120]);
  });
});

test('one by one an untried removal comes first, then the others, then the adds', () => {
  const inventory = inventoryOf(
    'x Added Present refused due, y Added Present, b – Refused refused due',
  );
  const left = decided(goalIn('a b'), inventory);
  expect(said(left)).toBe('+a; +b; -x; -y');
  expect(nextChange(left, false)).toMatchObject({ add: [{}, {}], remove: [{}, {}] });
  expect(nextChange(left, true)).toMatchObject({ add: [], remove: [{ id: 'y' }] });
  const tried = left.remove.filter(({ id }) => id === 'x');
  expect(nextChange({ ...left, remove: tried }, true)).toMatchObject({ remove: [{ id: 'x' }] });
  expect(nextChange({ ...left, remove: [] }, true)).toEqual({ add: [e('a')], remove: [] });
});
