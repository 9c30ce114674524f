import { describe, expect, test } from 'vitest';
import { nextChange } from '../../src/kinds/organization/decide.ts';
import { LIMITS } from '../../src/kinds/organization/endpoints.ts';
import type { InventoryEntry } from '../../src/kinds/organization/resource.ts';
import { cleanup, decided, type Given, ids, many, type Row, said } from '../support/decision.ts';
import { MINUTE, SECOND } from '../support/objects.ts';
import { at, e, entry, goal } from '../support/organization-entries.ts';

describe('the name', () => {
  const named = goal(undefined, { name: 'Acme' });
  test.each<Row>([
    ['is sent where another one is there', { goal: named, name: 'Old' }, 'name Acme'],
    ['is sent where none is shown', { goal: named }, 'name Acme'],
    ['is sent where one only looks like it', { goal: named, name: 'Acme ' }, 'name Acme'],
    ['is not sent where it is there', { goal: named, name: 'Acme' }, 'nothing'],
    ['is not sent where none is declared', { goal: goal([]), name: 'Old' }, 'nothing'],
    [
      'is not sent while the object is deleted',
      { goal: cleanup(['a'], 'Acme'), name: 'Old' },
      'nothing',
    ],
    [
      'is sent where the list is unknown',
      { goal: goal(['a'], { name: 'Acme' }), list: null },
      'name Acme',
    ],
  ])('%s', holds);
});

describe('what is added', () => {
  const past = { nextAttemptTime: at(-SECOND), since: at(-MINUTE) };
  const ahead = { nextAttemptTime: at(SECOND), since: at(-MINUTE) };
  const refused = (when: object): InventoryEntry => ({ ...e('a'), state: 'Refused', ...when });
  test.each<Row>([
    ['is what is listed and not there', { goal: goal(['a', 'b']), inventory: [entry('b')] }, '+a'],
    [
      'is nothing where all are there, whosever they are',
      { inventory: [entry('a', { origin: 'Found' })] },
      'nothing',
    ],
    ['is nothing where the list is unknown', { list: null }, 'nothing'],
    [
      'is nothing where the list is not managed',
      { goal: goal(undefined, { name: 'A' }), name: 'A' },
      'nothing',
    ],
    ['is nothing while the object is deleted', { goal: cleanup(['a']) }, 'nothing'],
    [
      'is not what is Missing for the first time',
      { inventory: [entry('a', { state: 'Missing', ...past })] },
      'nothing',
    ],
    [
      'is not what is Unconfirmed and has to wait',
      { inventory: [entry('a', { state: 'Unconfirmed', ...ahead })] },
      'nothing',
    ],
    [
      'is what was Unconfirmed and has waited',
      { inventory: [entry('a', { state: 'Unconfirmed', ...past })] },
      '+a',
    ],
    [
      'is not what is being removed still',
      { inventory: [entry('a', { state: 'Removing', ...past })] },
      'nothing',
    ],
    ['is not what was refused and has to wait', { inventory: [refused(ahead)] }, 'nothing'],
    ['is what was refused and has waited', { inventory: [refused(past)] }, '+a'],
    ['is due at its second', { inventory: [refused({ nextAttemptTime: at(0) })] }, '+a'],
    [
      'begins with what was never tried',
      { goal: goal(['a', 'b']), inventory: [refused(past)] },
      '+b; +a',
    ],
    ['does not depend on letters and blanks', { inventory: [entry(' A')] }, 'nothing'],
  ])('%s', holds);

  test('is no more than the inventory has room for', () => {
    const inventory = many(LIMITS.inventory - 1, { state: 'Removing', ...ahead });
    expect(ids(decided({ goal: goal(['a', 'b']), inventory }).add)).toBe('a');
  });
});

describe('the next change', () => {
  const refused = { lastError: { httpStatus: 400 }, nextAttemptTime: at(0) };
  const decision = decided({
    goal: goal(['a', 'b']),
    inventory: [entry('x', refused), entry('y'), { ...e('b'), state: 'Refused', ...refused }],
  });

  test('is all that is due', () => {
    const { add = [], remove = [] } = nextChange(decision, false) ?? {};
    expect([ids(add), ids(remove)]).toEqual(['a b', 'x y']);
  });

  test('one by one is an untried removal, then the others, then an untried add, then the others', () => {
    const order: string[] = [];
    let left = decision;
    for (let next = nextChange(left, true); next; next = nextChange(left, true)) {
      const { add, remove } = next;
      order.push(ids([...add, ...remove]));
      left = {
        ...left,
        add: left.add.filter((one) => !add.includes(one)),
        remove: left.remove.filter((one) => !remove.includes(one)),
      };
    }
    expect(order).toEqual(['y', 'x', 'a', 'b']);
  });

  test('is none where nothing is due', () => {
    expect(nextChange(decided({ inventory: [entry('a')] }), false)).toBeUndefined();
    expect(nextChange(decided({ inventory: [entry('a')] }), true)).toBeUndefined();
  });
});

function holds(_: string, given: Given, says: string): void {
  expect(said(decided(given))).toBe(says);
}
