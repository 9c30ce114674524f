import { describe, expect, test } from 'vitest';
import type { InventoryEntry } from '../../src/kinds/organization/resource.ts';
import { astray, HOUR, MINUTE, SECOND, T0 } from '../support/objects.ts';
import { at, e, entry, goal } from '../support/organization-entries.ts';
import {
  ADD,
  ADOPT,
  cleanup,
  type Given,
  givenUp,
  type Row,
  refused,
  SETTLE_MS,
  said,
  settled,
  UNLISTED,
  unconfirmed,
} from '../support/settlement.ts';

describe('an endpoint that nobody has asked for', () => {
  test.each<Row>([
    ['is Found where spec lists it', { list: ['a'] }, 'a Found Present'],
    ['is Adopted with adoptPrivateEndpoints', { list: ['a'], goal: ADOPT }, 'a Adopted Present'],
    [
      'is Found with an event where an inventory that was wiped may have had it',
      { list: ['a'], wasApplied: true },
      'a Found Present; event untracked a',
    ],
    ['is nothing to us where spec does not list it', { list: ['a'], goal: UNLISTED }, 'nothing'],
    [
      'is nothing to us where no list is declared',
      { list: ['a'], goal: goal(undefined) },
      'nothing',
    ],
    ['is not found while the object is deleted', cleanup({ list: ['a'] }), 'nothing'],
  ])('%s', holds);
});

describe('an add', () => {
  test.each<Row>([
    [
      'that its own reply shows is ours',
      { ...ADD, answered: true, list: ['a'] },
      'a Added Present; added a',
    ],
    [
      'that was lost is ours where the next list has it',
      { ...ADD, askedAt: MINUTE, list: ['a'] },
      'a Added Present; added a',
    ],
    [
      'that was lost is ours 15 min later',
      { ...ADD, askedAt: 15 * MINUTE, list: ['a'] },
      'a Added Present; added a',
    ],
    [
      'that was lost is nobody’s a second after that, and an event says that it may be ours',
      { ...ADD, askedAt: 15 * MINUTE + SECOND, list: ['a'] },
      'a Found Present; event maybe-ours a',
    ],
    [
      'that was lost is Adopted then, where that is wanted, and no event is needed',
      { ...ADD, askedAt: 15 * MINUTE + SECOND, list: ['a'], goal: ADOPT },
      'a Adopted Present',
    ],
    [
      'that was lost and is no longer listed is ours nonetheless',
      { ...ADD, askedAt: MINUTE, list: ['a'], goal: UNLISTED },
      'a Added Present; added a',
    ],
    [
      'that its own reply lacks waits, and nothing else does',
      { ...ADD, answered: true },
      'a Added Unconfirmed',
    ],
    [
      'that was lost and is not there keeps the change open',
      { ...ADD },
      'a Added Unconfirmed; change open',
    ],
    [
      'that was lost is open for a list asked for a second before --api-timeout + 60 s',
      { ...ADD, askedAt: SETTLE_MS - SECOND },
      'a Added Unconfirmed; change open',
    ],
    [
      'that was lost is open for such a list also where that was answered later',
      { ...ADD, askedAt: SETTLE_MS - SECOND, now: SETTLE_MS + 5 * SECOND },
      'a Added Unconfirmed; change open',
    ],
    [
      'that was lost is given up by a list asked for at that time',
      { ...ADD, askedAt: SETTLE_MS },
      'a Added Unconfirmed; event not-confirmed a',
    ],
    [
      'that is no longer listed leaves with that',
      { ...ADD, askedAt: SETTLE_MS, goal: UNLISTED },
      'event not-confirmed a',
    ],
    [
      'leaves with that while the object is deleted',
      cleanup({ ...ADD, askedAt: SETTLE_MS }),
      'event not-confirmed a',
    ],
    [
      'that is shown in part keeps the change open for the rest',
      { add: [e('a'), e('b')], goal: goal(['a', 'b']), list: ['b'] },
      'a Added Unconfirmed; b Added Present; added b; change open',
    ],
    [
      'that an earlier list has shown is not reported once more while the rest is open',
      { add: [e('a'), e('b')], goal: goal(['a', 'b']), inventory: [entry('a')], list: ['a'] },
      'a Added Present; b Added Unconfirmed; change open',
    ],
  ])('%s', holds);
});

describe('an Unconfirmed endpoint', () => {
  test.each<Row>([
    [
      'waits until its time',
      { inventory: [unconfirmed], askedAt: SETTLE_MS - SECOND },
      'a Added Unconfirmed',
    ],
    [
      'is given up then',
      { inventory: [unconfirmed], askedAt: SETTLE_MS },
      'a Added Unconfirmed; event not-confirmed a',
    ],
    ['is given up once', { inventory: [givenUp], askedAt: 5 * MINUTE }, 'a Added Unconfirmed'],
    [
      'that was given up leaves without another word when it is no longer listed',
      { inventory: [givenUp], askedAt: 5 * MINUTE, goal: UNLISTED },
      'nothing',
    ],
    ['that appears is ours', { inventory: [unconfirmed], list: ['a'] }, 'a Added Present; added a'],
    [
      'that was given up is ours where it appears within 15 min',
      { inventory: [givenUp], askedAt: 15 * MINUTE, list: ['a'] },
      'a Added Present; added a',
    ],
    [
      'that was given up is nobody’s where it appears later',
      { inventory: [givenUp], askedAt: 15 * MINUTE + SECOND, list: ['a'] },
      'a Found Present; event maybe-ours a',
    ],
    [
      'stays where the list is not managed any more, until its time',
      { inventory: [unconfirmed], goal: goal(undefined) },
      'a Added Unconfirmed',
    ],
  ])('%s', holds);

  test('is added again by back-off, 10 min at first, and twice that the next time', () => {
    let inventory: readonly InventoryEntry[] = [];
    const waits = [0, 20 * MINUTE].map((writtenAt) => {
      const askedAt = writtenAt + SETTLE_MS;
      const after = settled({ ...ADD, inventory, writtenAt, askedAt, now: askedAt });
      inventory = after.inventory;
      const [{ attempts, nextAttemptTime = '' } = {}] = after.inventory;
      expect(after.remarks).toHaveLength(1);
      return [
        attempts,
        astray(Date.parse(nextAttemptTime) - T0 - askedAt, (attempts ?? 0) * 10 * MINUTE),
      ];
    });
    expect(waits).toEqual([
      [1, 0],
      [2, 0],
    ]);
  });

  test('says until when nothing is done about it', () => {
    const { inventory } = settled({ ...ADD, answered: true });
    expect(inventory).toMatchObject([{ since: at(0), nextAttemptTime: at(SETTLE_MS) }]);
  });
});

describe('an endpoint that the API refused to add', () => {
  test.each<Row>([
    ['stays Refused', { inventory: [refused], askedAt: HOUR }, 'a – Refused'],
    [
      'is Found where it is there, and an event says that it may be ours',
      { inventory: [refused], list: ['a'] },
      'a Found Present; event refused-but-there a',
    ],
    [
      'is Adopted where it is there and that is wanted',
      { inventory: [refused], list: ['a'], goal: ADOPT },
      'a Adopted Present',
    ],
    [
      'is forgotten when it is no longer listed',
      { inventory: [refused], goal: UNLISTED },
      'nothing',
    ],
    ['is forgotten when the object is deleted', cleanup({ inventory: [refused] }), 'nothing'],
    [
      'and that was sent again and lost may be ours',
      { ...ADD, inventory: [refused], list: ['a'] },
      'a Added Present; added a',
    ],
  ])('%s', holds);
});

function holds(_: string, given: Given, says: string): void {
  expect(said(settled(given))).toBe(says);
}
