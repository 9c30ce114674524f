import { describe, expect, test } from 'vitest';
import { settle } from '../../../src/kinds/organization/settle.ts';
import { at, MINUTE, SECOND, T0 } from '../kinds/objects.ts';
import { isAbout, ms, rows } from '../kinds/rows.ts';
import { all, e, goalIn, inventoryOf, listing, SETTLE_MS, words } from './endpoints.ts';

/**
 * `sent`: `+a -b`, at T0; `200`: the list is in the reply to it. `asked`: when the list was
 * asked for. `then`: see `said`.
 */
type Column = 'spec' | 'inventory' | 'sent' | 'list' | 'asked' | 'then';
type Settled = ReturnType<typeof settle>;
type Row = Readonly<Record<Exclude<Column, 'then'>, string>>;

function settled({ spec, inventory, sent, list, asked }: Row) {
  const askedAt = T0 + ms(asked);
  const [add, remove] = ['+', '-'].map((sign) =>
    words(sent).flatMap((one) => (one.startsWith(sign) ? e(one.slice(1)) : [])),
  );
  const change = { time: at(0), add: add ?? [], remove: remove ?? [] };
  return settle({
    inventory: inventoryOf(inventory.replace(/ ?applied$/, '')),
    goal: goalIn(spec),
    list: listing(all(list)),
    askedAt,
    now: askedAt + 5 * SECOND,
    sent: sent === '' ? undefined : { change, answered: sent.endsWith('200') },
    settleMs: SETTLE_MS,
    uid: 'uid-1',
    wasApplied: inventory.endsWith('applied'),
  });
}

/** `a Added Present; event maybe-ours a; change open`. */
function said({ inventory, remarks, pendingChange, added, removed }: Settled): string {
  const parts = [
    ...inventory.map(({ id, origin = '–', state }) => `${id} ${origin} ${state}`),
    ...added.map(({ id }) => `added ${id}`),
    ...removed.map(({ id }) => `removed ${id}`),
    ...remarks.map(({ remark, tuple }) => `event ${remark} ${tuple.id}`),
    ...(pendingChange ? ['change open'] : []),
  ];
  return parts.join('; ') || 'nothing';
}

/** Rows of the contract's table, by law. T0 is when what is open was sent, or missed. */
const TABLES: Readonly<Record<string, string>> = {
  'what nobody asked for is Found where it is listed, or Adopted': `
    spec      | inventory | sent | list | asked | then
    a         |           |      | a    | 1s    | a Found Present
    adopt a   |           |      | a    | 1s    | a Adopted Present
    a         | applied   |      | a    | 1s    | a Found Present; event untracked a
    b         |           |      | a    | 1s    | nothing
    absent    |           |      | a    | 1s    | nothing
    deleted a |           |      | a    | 1s    | nothing
  `,
  'an add that a list shows within 15 minutes is ours, and nobody’s after that': `
    spec    | inventory                | sent   | list | asked  | then
    a       |                          | +a 200 | a    | 1s     | a Added Present; added a
    a       |                          | +a     | a    | 15m    | a Added Present; added a
    a       |                          | +a     | a    | 15m+1s
      | a Found Present; event maybe-ours a
    adopt a |                          | +a     | a    | 15m+1s | a Adopted Present
    a b     |                          | +a +b  | b    | 1s
      | a Added Unconfirmed; b Added Present; added b; change open
    a b     | a Added Present          | +a +b  | a    | 1s
      | a Added Present; b Added Unconfirmed; change open
    a b     | b Added Unconfirmed older | +a    | a    | 1s
      | b Added Unconfirmed; a Added Present; added a
    a       | a Added Unconfirmed      |        | a    | 1s     | a Added Present; added a
    a       | a Added Unconfirmed late |        | a    | 15m    | a Added Present; added a
    a       | a Added Unconfirmed late |        | a    | 15m+1s
      | a Found Present; event maybe-ours a
    a       | a – Refused refused      | +a     | a    | 1s     | a Added Present; added a
  `,
  'an add that no list shows is open until 95 s after it was written': `
    spec      | inventory                | sent   | list | asked | then
    a         |                          | +a 200 |      | 1s    | a Added Unconfirmed
    a         |                          | +a     |      | 94s   | a Added Unconfirmed; change open
    a         |                          | +a     |      | 95s
      | a Added Unconfirmed; event not-confirmed a
    b         |                          | +a     |      | 95s   | event not-confirmed a
    a         | a Added Unconfirmed      |        |      | 94s   | a Added Unconfirmed
    a         | a Added Unconfirmed      |        |      | 95s
      | a Added Unconfirmed; event not-confirmed a
    a         | a Added Unconfirmed late |        |      | 5m    | a Added Unconfirmed
  `,
  'what a list lacks is Missing, and forgotten by a second list a minute later': `
    spec    | inventory         | sent | list | asked | then
    a       | a Added Present   |      |      | 1s    | a Added Missing
    a       | a Found Present   |      |      | 1s    | a Found Missing
    b       | a Added Present   |      |      | 1s    | a Added Missing
    a       | a Added Missing   |      |      | 59s   | a Added Missing
    a       | a Added Missing   |      |      | 60s   | event vanished a
    a       | a Found Missing   |      |      | 60s   | nothing
  `,
  'what was Missing and is there again within 15 minutes is the same one': `
    spec    | inventory       | sent | list | asked  | then
    a       | a Added Missing |      | a    | 15m    | a Added Present
    a       | a Added Missing |      | a    | 15m+1s | a Found Present; event came-back a
    a       | a Found Missing |      | a    | 15m    | a Found Present
    a       | a Found Missing |      | a    | 15m+1s | a Found Present
  `,
  'a removal has worked where a list lacks it, and is over 95 s after it was written': `
    spec | inventory        | sent   | list | asked | then
    b    | a Added Present  | -a 200 |      | 1s    | removed a
    b    | a Added Present  | -a     |      | 1m    | removed a
    b    | a Added Present  | -a 200 | a    | 1s    | a Added Removing
    b    | a Added Present  | -a     | a    | 94s   | a Added Removing; change open
    b    | a Added Present  | -a     | a    | 95s   | a Added Present
    b    | a Added Removing |        | a    | 94s   | a Added Removing
    b    | a Added Removing |        | a    | 95s   | a Added Present
    b    | a Added Removing |        |      | 1h    | removed a
  `,
  'a refused removal stays ours; a refused add is nobody’s, and forgotten': `
    spec      | inventory               | sent | list | asked | then
    b         | a Added Present refused |      | a    | 1s    | a Added Present
    a         | a – Refused refused     |      |      | 1h    | a – Refused
    a         | a – Refused refused     |      | a    | 1s
      | a Found Present; event refused-but-there a
    adopt a   | a – Refused refused     |      | a    | 1s    | a Adopted Present
    b         | a – Refused refused     |      |      | 1s    | nothing
  `,
  'adoption is what spec says now, whatever it said before; what was added stays ours': `
    spec    | inventory         | sent | list | asked | then
    adopt a | a Found Present   |      | a    | 1s    | a Adopted Present
    a       | a Adopted Present |      | a    | 1s    | a Found Present
    b       | a Adopted Present |      | a    | 1s    | event left a
    adopt b | a Adopted Present |      | a    | 1s    | a Adopted Present
  `,
  'what was only found and is no longer listed is forgotten, with an event': `
    spec      | inventory       | sent | list | asked | then
    b         | a Found Present |      | a    | 1s    | event left a
    b         | a Found Present |      |      | 1s    | nothing
    absent    | a Found Present |      | a    | 1s    | a Found Present
  `,
};

describe.each(Object.entries(TABLES))('%s', (_, table) => {
  test.each(rows<Column>(table))(
    'spec "$spec", inventory "$inventory", sent "$sent", list "$list" after $asked: $then',
    (row) => expect(said(settled(row))).toBe(row.then),
  );
});

const row = { spec: 'a', inventory: '', sent: '', list: '', asked: '1s' };

test('an add that was given up is sent again after 10 min at first, then after twice that', () => {
  const given = { ...row, sent: '+a', asked: '95s' };
  const [first] = settled(given).inventory;
  const [second] = settled({ ...given, inventory: 'a Added Unconfirmed again' }).inventory;
  expect([first?.attempts, second?.attempts]).toEqual([1, 2]);
  const [waiting] = settled({
    ...row,
    inventory: 'a Added Unconfirmed late',
    asked: '5m',
  }).inventory;
  expect(waiting).toMatchObject({ attempts: 1, nextAttemptTime: at(12 * MINUTE) });
  const waitOf = (entry = first) => Date.parse(entry?.nextAttemptTime ?? '') - T0 - ms('100s');
  expect([isAbout(waitOf(), 10 * MINUTE), isAbout(waitOf(second), 20 * MINUTE)]).toEqual([
    true,
    true,
  ]);
});

test('a refused removal keeps its reason and its time until it is wanted again', () => {
  const refused = { ...row, inventory: 'a Added Present refused', list: 'a' };
  const [kept] = settled({ ...refused, spec: 'b' }).inventory;
  expect(kept).toMatchObject({ lastError: { httpStatus: 400 }, nextAttemptTime: at(10 * MINUTE) });
  expect(settled(refused).inventory[0]).not.toHaveProperty('lastError');
});

test('the inventory has at most 220 entries: no more are found, and ours stay', () => {
  const ids = Array.from({ length: 219 }, (_, index) => `x${index}`);
  const inventory = ids.map((id) => `${id} Added Present`).join();
  const found = settled({ ...row, spec: 'a b', inventory, list: [...ids, 'a', 'b'].join(' ') });
  expect([found.inventory.length, found.inventory.at(-1)?.id]).toEqual([220, 'a']);
});
