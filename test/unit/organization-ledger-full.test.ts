import { expect, test } from 'vitest';
import { decide } from '../../src/kinds/organization/attempt/next-step.ts';
import { LIMITS } from '../../src/kinds/organization/limits.ts';
import { entry, goal, listing, settled } from '../support/organization-entries.ts';

const many = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`);

/**
 * What was listed before stays, because too much would be removed; all that is listed now is there
 * already.
 */
const before = many('old', 200);
const listed = many('new', LIMITS.endpoints);
const given = {
  ledger: before.map((id) => entry(id)),
  list: listing(...before, ...listed),
  goal: goal(listed, { adoptPrivateEndpoints: true }),
};

test('the ledger holds no more than the status can: what is found beyond that is in it when there is room', () => {
  const { ledger } = settled(given);
  expect(ledger).toHaveLength(LIMITS.ledger);
  expect(ledger.slice(0, before.length)).toEqual(given.ledger);
});

test('what has no room in it is not added either', () => {
  const { ledger } = settled(given);
  const question = {
    ...given,
    ledger,
    name: undefined,
    unconfirmedChanges: new Map(),
    differences: undefined,
    now: 0,
  };
  const { add, blocked } = decide(question);
  expect([add, blocked?.length]).toEqual([[], before.length]);
});
