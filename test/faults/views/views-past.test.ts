import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { crowd } from './views-crowd.ts';
import { type Arrival, CASES, runPast, type Snapshot } from './views-past.ts';
import type { Outcome } from './views-subjects.ts';

const SNAPSHOTS: readonly Snapshot[] = [
  'before anything was applied',
  'when all was applied',
  'before a change was acted on',
];
const ARRIVALS: readonly Arrival[] = ['the watch catches up', 'the watch is refused with 410'];
const RUNS = SNAPSHOTS.flatMap((snapshot) => ARRIVALS.map((arrival) => ({ snapshot, arrival })));
const resultsOf = crowd(RUNS, {
  atOnce: 2,
  run: ({ snapshot, arrival }) => runPast(snapshot, arrival),
});

describe.each(RUNS)('R4: restarted on lists from $snapshot, until $arrival', (run) => {
  test.each(CASES)('$sort, since then $meanwhile', async ({ name }) => {
    const result = (await resultsOf(run)).get(name);
    if (!result) throw new Error(`nothing is known of ${name}`);
    const { before, after, calls, callsThen, said } = result;
    expect(
      after.map(({ moved }) => moved),
      'no endpoint goes in or out',
    ).toEqual(before.map(({ moved }) => moved));
    const isKnown = run.snapshot === 'when all was applied';
    const writes = writesIn(calls);
    const allWrites = [...writes, ...writesIn(callsThen)];
    expect(
      writes.length,
      'sent while the past is shown: the old wish, and once more what is right',
    ).toBeLessThanOrEqual(isKnown ? 0 : 2);
    expect(allWrites.length, 'sent at all').toBeLessThanOrEqual(4);
    // An attempt looks before it sends anything, also where it then finds nothing to send.
    const looks = calls.length - writes.length;
    expect(looks, 'looked at while the past is shown').toBeLessThanOrEqual(isKnown ? 0 : 2);
    const allLooks = calls.length + callsThen.length - allWrites.length;
    expect(allLooks, 'looked at at all').toBeLessThanOrEqual(4);
    const generations = said.map(({ applied }) => applied?.generation);
    expect(
      new Set(generations).size,
      'no older generation is said to be applied',
    ).toBeLessThanOrEqual(1);
    expect(withoutHistory(after), 'the last word is the truth').toEqual(withoutHistory(before));
    expect(historyIn(after), 'what was done is on record').toEqual([
      ...historyIn(before),
      ...nameGivenBack(allWrites),
    ]);
  });
});

function writesIn(calls: readonly unknown[]): readonly unknown[] {
  return calls.filter(
    (body) => !isDeepStrictEqual(body, { privateEndpoints: { add: [], remove: [] } }),
  );
}

function withoutHistory(outcomes: readonly Outcome[]): unknown {
  return JSON.parse(
    JSON.stringify(outcomes, (key, value: unknown) => (key === 'history' ? undefined : value)),
  );
}

function historyIn(outcomes: readonly Outcome[]): readonly unknown[] {
  const objects = outcomes.map(
    ({ object }) => object as { status: { history?: unknown[] } } | undefined,
  );
  return objects.flatMap((object) => object?.status.history ?? []);
}

/**
 * What history tells of these writes: an organization had the name of the past, and was given its
 * own again.
 */
function nameGivenBack(writes: readonly unknown[]): readonly unknown[] {
  const names = (writes as { name?: string }[]).flatMap(({ name }) => name ?? []);
  if (names.length === 0) return [];
  const [from, to] = [names[0], names.at(-1)];
  const changes = [{ field: 'name', from, to }];
  return [{ time: '<time>', generation: expect.any(Number), requestId: '<requestId>', changes }];
}
