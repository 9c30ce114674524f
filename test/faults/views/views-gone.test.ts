import { describe, expect, test } from 'vitest';
import { crowd } from './views-crowd.ts';
import { GAPS, type Gap, type Notice, runGaps } from './views-gone.ts';
import { wished } from './views-subjects.ts';

const NOTICES: readonly Notice[] = [
  'the watch says 410',
  'the watch is cut, and the next one says 410',
  'a page of the list is refused with 410',
];
const resultsOf = crowd(NOTICES, { atOnce: 2, run: runGaps });

describe.each(NOTICES)('R5: unseen, and %s', (notice) => {
  test.each(GAPS)('$sort, $before: $meanwhile', async ({ name, sort, before, meanwhile }) => {
    const result = (await resultsOf(notice)).get(name);
    const acts = [...before, ...meanwhile];
    const isGone = acts.at(-1) === 'remove';
    expect(result?.outcome.object === undefined).toBe(isGone);
    expect(result?.outcome.remote).toMatchObject(expectedAt({ sort, before, meanwhile }));
    expect(result?.heirLedger).toEqual(heirLedgerOf({ sort, before, meanwhile }));
  });
});

/**
 * The ledger of the heir: what the object before it has added and left is found, whatever was seen
 * of its end.
 */
function heirLedgerOf({ sort, before, meanwhile }: Omit<Gap, 'name'>): string[] | undefined {
  if (sort === 'PipeSettings' || ![...before, ...meanwhile].includes('heir 3')) return undefined;
  return ['always Found', 'only-3 Added'];
}

/** What its pipe or organization is in the end. */
function expectedAt({ sort, before, meanwhile }: Omit<Gap, 'name'>): object {
  const wishes = [...before, ...meanwhile].flatMap((act) => act.match(/\d+/) ?? []).map(Number);
  const last = wishes.at(-1) ?? 0;
  const isRemoved = meanwhile.includes('remove');
  if (sort === 'held Organization' && isRemoved && last === 1) return { ids: [] };
  if (sort !== 'Organization' || !isRemoved || last === 1) return wished(sort, last);
  // What a deleted object has added stays.
  return { ...wished(sort, last), ids: ['always', 'only-1', 'only-3'] };
}
