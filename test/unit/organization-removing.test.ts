import { expect, test } from 'vitest';
import { T0 } from '../support/objects.ts';
import {
  at,
  entry,
  goal,
  listing,
  sent,
  settled,
  shortly,
} from '../support/organization-entries.ts';

const SECOND = 1_000;

/** Its removal was refused ten minutes ago, and tried once more at T0. */
const refusedBefore = entry('a', {
  lastError: { httpStatus: 422, message: 'no' },
  nextAttemptTime: at(0),
});
const unlisted = goal([]);

/** What the API takes, and still shows. */
function removing() {
  return settled({
    ledger: [refusedBefore],
    list: listing('a'),
    goal: unlisted,
    sent: sent('answered', { remove: 'a' }),
  }).ledger;
}

test('of a removal that is taken at last, nothing is left of what was refused before', () => {
  const [first] = removing();
  expect(first).toEqual(entry('a', { state: 'Removing', nextAttemptTime: at(90 * SECOND) }));
});

test('it is Removing until it is settled, and forgotten by the first list that lacks it', () => {
  const entrySettlesAt = (): number => T0 + 90 * SECOND;
  const given = { ledger: removing(), goal: unlisted, now: 10 * SECOND, entrySettlesAt };
  expect(settled({ ...given, list: listing('a') }).ledger.map(shortly)).toEqual([
    'a Added Removing',
  ]);
  expect(settled(given)).toMatchObject({ ledger: [], removed: [{ id: 'a' }], remarks: [] });
});
