import { describe, expect, test } from 'vitest';
import { isAbout, ms, rows } from '../kinds/rows.ts';
import { at, MINUTE, SECOND } from '../kinds/stage.ts';
import { type Row, said, settled } from './settlement.ts';

/** Rows of the contract's table, by law. T0 is when what is open was sent, or missed. */
const TABLES: Readonly<Record<string, string>> = {
  'what nobody asked for is Found where it is listed, or Adopted': `
    spec      | inventory                | sent | list | asked | then
    a         |                          |      | a    | 1s    | a Found Present
    adopt a   |                          |      | a    | 1s    | a Adopted Present
    a         |  applied                 |      | a    | 1s    | a Found Present; event untracked a
    b         |                          |      | a    | 1s    | nothing
    absent    |                          |      | a    | 1s    | nothing
    deleted a |                          |      | a    | 1s    | nothing
  `,
  'an add that a list shows within 15 minutes is ours, and nobody’s after that': `
    spec      | inventory                | sent        | list | asked  | then
    a         |                          | +a answered | a    | 1s     | a Added Present; added a
    a         |                          | +a          | a    | 1m     | a Added Present; added a
    b         |                          | +a          | a    | 1m     | a Added Present; added a
    a         |                          | +a          | a    | 15m    | a Added Present; added a
    a         |                          | +a          | a    | 15m+1s | a Found Present; event maybe-ours a
    adopt a   |                          | +a          | a    | 15m+1s | a Adopted Present
    a b       |                          | +a +b       | b    | 1s     | a Added Unconfirmed; b Added Present; added b; change open
    a b       | a Added Present          | +a +b       | a    | 1s     | a Added Present; b Added Unconfirmed; change open
    a         | a Added Unconfirmed      |             | a    | 1s     | a Added Present; added a
    a         | a Added Unconfirmed given-up | | a   | 15m    | a Added Present; added a
    a         | a Added Unconfirmed given-up | | a   | 15m+1s | a Found Present; event maybe-ours a
    a         | a – Refused refused      | +a          | a    | 1s     | a Added Present; added a
  `,
  'an add that no list shows is open until 95 s after it was written, by when the list was asked for': `
    spec      | inventory                | sent        | list | asked  | then
    a         |                          | +a answered |      | 1s     | a Added Unconfirmed
    a         |                          | +a          |      | 1s     | a Added Unconfirmed; change open
    a         |                          | +a          |      | 94s    | a Added Unconfirmed; change open
    a         |                          | +a          |      | 95s    | a Added Unconfirmed; event not-confirmed a
    b         |                          | +a          |      | 95s    | event not-confirmed a
    deleted a |                          | +a          |      | 95s    | event not-confirmed a
    a         | a Added Unconfirmed      |             |      | 94s    | a Added Unconfirmed
    absent    | a Added Unconfirmed      |             |      | 94s    | a Added Unconfirmed
    a         | a Added Unconfirmed      |             |      | 95s    | a Added Unconfirmed; event not-confirmed a
    a         | a Added Unconfirmed given-up | |     | 5m     | a Added Unconfirmed
    b         | a Added Unconfirmed given-up | |     | 5m     | nothing
  `,
  'what a list lacks is Missing, and forgotten by a second list a minute later': `
    spec      | inventory                | sent | list | asked | then
    a         | a Added Present          |      |      | 1s    | a Added Missing
    adopt a   | a Adopted Present        |      |      | 1s    | a Adopted Missing
    a         | a Found Present          |      |      | 1s    | a Found Missing
    b         | a Added Present          |      |      | 1s    | a Added Missing
    a         | a Added Missing          |      |      | 59s   | a Added Missing
    a         | a Added Missing          |      |      | 60s   | event vanished a
    a         | a Found Missing          |      |      | 60s   | nothing
  `,
  'what was Missing and is there again within 15 minutes is the same one': `
    spec      | inventory                | sent | list | asked  | then
    a         | a Added Missing          |      | a    | 1m     | a Added Present
    a         | a Added Missing          |      | a    | 15m    | a Added Present
    a         | a Added Missing          |      | a    | 15m+1s | a Found Present; event came-back a
    adopt a   | a Added Missing          |      | a    | 1h     | a Adopted Present
    a         | a Found Missing          |      | a    | 1h     | a Found Present
  `,
  'a removal has worked where a list lacks it, and is over 95 s after it was written': `
    spec      | inventory                | sent        | list | asked | then
    b         | a Added Present          | -a answered |      | 1s    | removed a
    b         | a Added Present          | -a          |      | 1m    | removed a
    a         | a Added Present          | -a          |      | 1m    | removed a
    b         | a Added Present          | -a answered | a    | 1s    | a Added Removing
    b         | a Added Present          | -a          | a    | 1s    | a Added Removing; change open
    b         | a Added Present          | -a          | a    | 94s   | a Added Removing; change open
    b         | a Added Present          | -a          | a    | 95s   | a Added Present
    b         | a Added Removing         |             | a    | 94s   | a Added Removing
    b         | a Added Removing         |             | a    | 95s   | a Added Present
    b         | a Added Removing         |             |      | 1h    | removed a
  `,
  'a refused removal stays ours; a refused add is nobody’s, and no longer listed it is forgotten': `
    spec      | inventory                | sent | list | asked | then
    b         | a Added Present refused  |      | a    | 1s    | a Added Present
    a         | a – Refused refused      |      |      | 1h    | a – Refused
    a         | a – Refused refused      |      | a    | 1s    | a Found Present; event refused-but-there a
    adopt a   | a – Refused refused      |      | a    | 1s    | a Adopted Present
    b         | a – Refused refused      |      |      | 1s    | nothing
    deleted a | a – Refused refused      |      |      | 1s    | nothing
  `,
  'adoption is what spec says now, whatever it said before; what was added stays ours': `
    spec      | inventory                | sent | list | asked | then
    adopt a   | a Found Present          |      | a    | 1s    | a Adopted Present
    adopt a   | a Found Present          |      |      | 1s    | a Adopted Missing
    a         | a Adopted Present        |      | a    | 1s    | a Found Present
    a         | a Added Present          |      | a    | 1s    | a Added Present
    adopt b   | a Found Present          |      | a    | 1s    | event left a
    b         | a Adopted Present        |      | a    | 1s    | event left a
    adopt b   | a Adopted Present        |      | a    | 1s    | a Adopted Present
  `,
  'what was only found and is no longer listed is forgotten, and an event says that it stays': `
    spec      | inventory                | sent | list | asked | then
    b         | a Found Present          |      | a    | 1s    | event left a
    b         | a Found Present          |      |      | 1s    | nothing
    deleted a | a Found Present          |      | a    | 1s    | a Found Present
    absent    | a Found Present          |      | a    | 1s    | a Found Present
  `,
};

describe.each(Object.entries(TABLES))('%s', (_, table) => {
  test.each(rows<keyof Row>(table))(
    'spec "$spec", inventory "$inventory", sent "$sent", list "$list" after $asked: $then',
    (row) => expect(said(settled(row))).toBe(row.then),
  );
});

const row = { spec: 'a', inventory: '', sent: '', list: '', asked: '1s' };

test('what is open or Missing says until when nothing is done about it', () => {
  const waits = (given: object) => settled({ ...row, ...given }).inventory[0];
  expect(waits({ sent: '+a answered' })).toMatchObject({
    since: at(0),
    nextAttemptTime: at(95 * SECOND),
  });
  const removing = { spec: 'b', inventory: 'a Added Present', sent: '-a', list: 'a' };
  expect(waits(removing)).toMatchObject({ since: at(0), nextAttemptTime: at(95 * SECOND) });
  const missing = { inventory: 'a Added Present', asked: '5s' };
  expect(waits(missing)).toMatchObject({ since: at(5 * SECOND), nextAttemptTime: at(65 * SECOND) });
});

test('an add that was given up is sent again after 10 min at first, then after twice that', () => {
  const wait = (given: object) => {
    const [{ attempts, nextAttemptTime = '' } = {}] = settled({
      ...row,
      ...given,
      asked: '95s',
    }).inventory;
    return [attempts, Date.parse(nextAttemptTime) - Date.parse(at(ms('100s')))];
  };
  const [first, firstWait] = wait({ sent: '+a' });
  const [second, secondWait] = wait({ sent: '+a', inventory: 'a Added Unconfirmed again' });
  expect([first, isAbout(firstWait, 10 * MINUTE)]).toEqual([1, true]);
  expect([second, isAbout(secondWait, 20 * MINUTE)]).toEqual([2, true]);
});

test('a refused removal keeps its reason and its time until it is wanted again', () => {
  const refused = { ...row, inventory: 'a Added Present refused', list: 'a' };
  const [kept] = settled({ ...refused, spec: 'b' }).inventory;
  expect(kept).toMatchObject({ lastError: { httpStatus: 400 }, nextAttemptTime: at(10 * MINUTE) });
  expect(settled(refused).inventory[0]).not.toHaveProperty('lastError');
});
