import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CrashRuns, expectLikeClean, openCrashRuns, type Run } from '../support/crash-runs.ts';
import { type Label, MOMENTS, type Point } from '../support/crash-tap.ts';
import { WORKLOADS } from '../support/crash-workloads.ts';

/** The first death: the change is on record, has left, and never arrives. No recovery takes more calls. */
const FIRST: Point = { at: 2, moment: 'lost' };
const RECOVERY: readonly Label[] = ['read', 'result', 'read', 'intent', 'change', 'result'];
const workload = WORKLOADS['an edit that adds two endpoints and removes one'];

let runs: CrashRuns;
let clean: Run;
beforeAll(async () => {
  // So long that the first read of a recovery comes too early for absence to count, also on a slow machine.
  runs = await openCrashRuns({ apiTimeoutMs: 4_000 });
  clean = await runs.runOf(workload, []);
});
afterAll(() => runs.end());

test('a change that was lost is asked for, waited for, asked for again and only then sent again', async () => {
  const { calls } = await runs.runOf(workload, [FIRST]);
  expect(calls.filter(({ life }) => life > 1).map(({ label }) => label)).toEqual(RECOVERY);
});

const seconds = RECOVERY.flatMap((label, index) => MOMENTS.map((moment) => ({ label, at: index + 1, moment })));
test.concurrent.each(seconds)(
  'ends the same where killed again at call $at of the recovery, $label: $moment',
  async ({ at, moment }) => {
    const killed = [FIRST, { at, moment }];
    expectLikeClean(await runs.runOf(workload, killed), clean, killed);
  },
);
