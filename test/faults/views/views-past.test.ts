import { describe, expect, test } from 'vitest';
import { crowd } from './views-crowd.ts';
import { type Arrival, CASES, runPast, type Snapshot } from './views-past.ts';

const SNAPSHOTS: readonly Snapshot[] = [
  'before anything was applied',
  'when all was applied',
  'before a change was acted on',
];
const ARRIVALS: readonly Arrival[] = ['the watch catches up', 'the watch is refused with 410'];
const RUNS = SNAPSHOTS.flatMap((snapshot) => ARRIVALS.map((arrival) => ({ snapshot, arrival })));
const resultsOf = crowd(RUNS, { atOnce: 2, run: ({ snapshot, arrival }) => runPast(snapshot, arrival) });

describe.each(RUNS)('R4: restarted on lists from $snapshot, until $arrival', (run) => {
  test.each(CASES)('$sort, since then $meanwhile', async ({ name, sort }) => {
    const result = (await resultsOf(run)).get(name);
    if (!result) throw new Error(`nothing is known of ${name}`);
    const { before, after, calls, callsThen, said } = result;
    expect(
      after.map(({ moved }) => moved),
      'no endpoint goes in or out',
    ).toEqual(before.map(({ moved }) => moved));
    const isKnown = run.snapshot === 'when all was applied';
    expect(calls.length, 'sent while the past is shown: the old wish, and once more what is right').toBeLessThanOrEqual(
      // Of an Organization each is a name and a change.
      isKnown ? 0 : sort === 'Organization' ? 4 : 2,
    );
    expect(calls.length + callsThen.length, 'sent at all').toBeLessThanOrEqual(sort === 'Organization' ? 8 : 4);
    const generations = said.map(({ applied }) => applied?.generation);
    expect(new Set(generations).size, 'no older generation is said to be applied').toBeLessThanOrEqual(1);
    expect(withoutHistory(after), 'the last word is the truth').toEqual(withoutHistory(before));
  });
});

/** What was put right again is on record there. */
function withoutHistory(outcomes: unknown): unknown {
  return JSON.parse(JSON.stringify(outcomes, (key, value: unknown) => (key === 'history' ? undefined : value)));
}
