import { describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../support/objects.ts';
import { at, entry, goal } from '../support/organization-entries.ts';
import {
  ADOPT,
  adopted,
  found,
  type Given,
  missing,
  REMOVE,
  type Row,
  refusedRemoval,
  removing,
  SETTLE_MS,
  said,
  settled,
  UNLISTED,
} from '../support/settlement.ts';

describe('an endpoint of the inventory that a list lacks', () => {
  test.each<Row>([
    ['is Missing where it is ours', { inventory: [entry('a')] }, 'a Added Missing'],
    ['is Missing where it was adopted', { inventory: [adopted], goal: ADOPT }, 'a Adopted Missing'],
    ['is Missing where it was found', { inventory: [found] }, 'a Found Missing'],
    [
      'is Missing where it is ours and no longer listed',
      { inventory: [entry('a')], goal: UNLISTED },
      'a Added Missing',
    ],
    [
      'stays Missing for a list asked for a second before the minute is over',
      { inventory: [missing], askedAt: 59 * SECOND, now: 2 * MINUTE },
      'a Added Missing',
    ],
    [
      'is forgotten after a minute, with an event',
      { inventory: [missing], askedAt: MINUTE },
      'event vanished a',
    ],
    [
      'is forgotten without one where it is not ours',
      { inventory: [{ ...missing, origin: 'Found' }], askedAt: MINUTE },
      'nothing',
    ],
  ])('%s', holds);

  test('is looked for again 60 s after the list was asked for', () => {
    const { inventory } = settled({
      inventory: [entry('a')],
      askedAt: 5 * SECOND,
      now: 30 * SECOND,
    });
    expect(inventory).toMatchObject([{ since: at(5 * SECOND), nextAttemptTime: at(65 * SECOND) }]);
  });
});

describe('a Missing endpoint that is listed again', () => {
  const back = { inventory: [missing], list: ['a'] };
  test.each<Row>([
    ['is Present', { ...back, askedAt: MINUTE }, 'a Added Present'],
    ['is the same one for 15 min', { ...back, askedAt: 15 * MINUTE }, 'a Added Present'],
    [
      'is nobody’s after that, and an event says so',
      { ...back, askedAt: 15 * MINUTE + SECOND },
      'a Found Present; event came-back a',
    ],
    [
      'is Adopted after that where that is wanted',
      { ...back, askedAt: HOUR, goal: ADOPT },
      'a Adopted Present',
    ],
    [
      'that was only found is Found again',
      { ...back, inventory: [{ ...missing, origin: 'Found' }], askedAt: HOUR },
      'a Found Present',
    ],
  ])('%s', holds);
});

describe('a removal', () => {
  const going = { ...REMOVE, goal: UNLISTED, inventory: [entry('a')] };
  test.each<Row>([
    ['whose reply lacks it has worked', { ...going, answered: true }, 'removed a'],
    [
      'that was lost has worked where the list lacks it',
      { ...going, askedAt: MINUTE },
      'removed a',
    ],
    [
      'of what is listed again by now has worked too',
      { ...going, goal: goal(['a']), askedAt: MINUTE },
      'removed a',
    ],
    [
      'whose reply still has it waits',
      { ...going, answered: true, list: ['a'] },
      'a Added Removing',
    ],
    [
      'that was lost keeps the change open',
      { ...going, list: ['a'] },
      'a Added Removing; change open',
    ],
    [
      'that was lost is open a second before --api-timeout + 60 s',
      { ...going, list: ['a'], askedAt: SETTLE_MS - SECOND, now: SETTLE_MS + MINUTE },
      'a Added Removing; change open',
    ],
    [
      'that was lost is over at that time',
      { ...going, list: ['a'], askedAt: SETTLE_MS },
      'a Added Present',
    ],
    [
      'on its way is over at that time',
      { inventory: [removing], goal: UNLISTED, list: ['a'], askedAt: SETTLE_MS },
      'a Added Present',
    ],
    [
      'on its way goes on until then',
      { inventory: [removing], goal: UNLISTED, list: ['a'], askedAt: SETTLE_MS - SECOND },
      'a Added Removing',
    ],
    [
      'on its way works where a list lacks it',
      { inventory: [removing], goal: UNLISTED, askedAt: MINUTE },
      'removed a',
    ],
    [
      'whose time is over has worked where a list lacks it',
      { inventory: [removing], goal: UNLISTED, askedAt: HOUR },
      'removed a',
    ],
    [
      'that was refused leaves it ours',
      { inventory: [refusedRemoval], goal: UNLISTED, list: ['a'] },
      'a Added Present',
    ],
  ])('%s', holds);

  test('that was refused keeps its reason and its time, until it is wanted again', () => {
    const kept = settled({ inventory: [refusedRemoval], goal: UNLISTED, list: ['a'] });
    expect(kept.inventory).toMatchObject([
      { lastError: { message: 'no' }, attempts: 1, nextAttemptTime: at(10 * MINUTE) },
    ]);
    const [wanted] = settled({ inventory: [refusedRemoval], list: ['a'] }).inventory;
    expect(wanted).toEqual(entry('a', { description: undefined }));
  });
});

describe('adoption', () => {
  test.each<Row>([
    [
      'makes what was found ours',
      { inventory: [found], list: ['a'], goal: ADOPT },
      'a Adopted Present',
    ],
    [
      'makes it ours also where the list lacks it just now',
      { inventory: [found], goal: ADOPT },
      'a Adopted Missing',
    ],
    [
      'that is taken back makes it nobody’s',
      { inventory: [adopted], list: ['a'] },
      'a Found Present',
    ],
    [
      'that is taken back leaves what was added ours',
      { inventory: [entry('a')], list: ['a'] },
      'a Added Present',
    ],
    [
      'does not reach what spec does not list',
      { inventory: [found], list: ['a'], goal: goal([], { adoptPrivateEndpoints: true }) },
      'event left a',
    ],
    [
      'that ends together with the listing leaves it at the API',
      { inventory: [adopted], list: ['a'], goal: UNLISTED },
      'event left a',
    ],
    [
      'keeps what was adopted ours when it is no longer listed',
      { inventory: [adopted], list: ['a'], goal: goal([], { adoptPrivateEndpoints: true }) },
      'a Adopted Present',
    ],
  ])('%s', holds);
});

describe('what was only found and is no longer listed', () => {
  test.each<Row>([
    [
      'is forgotten, and an event says that it stays',
      { inventory: [found], list: ['a'], goal: UNLISTED },
      'event left a',
    ],
    [
      'is forgotten without a word where it is gone',
      { inventory: [found], goal: UNLISTED },
      'nothing',
    ],
    [
      'is kept where the list as a whole is no longer managed',
      { inventory: [found], list: ['a'], goal: goal(undefined) },
      'a Found Present',
    ],
  ])('%s', holds);
});

function holds(_: string, given: Given, says: string): void {
  expect(said(settled(given))).toBe(says);
}
