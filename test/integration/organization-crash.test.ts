import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CrashRuns, expectLikeClean, openCrashRuns, type Run } from '../support/crash-runs.ts';
import { MOMENTS } from '../support/crash-tap.ts';
import { WORKLOADS, type Workload } from '../support/crash-workloads.ts';

let runs: CrashRuns;
beforeAll(async () => {
  runs = await openCrashRuns({ apiTimeoutMs: 2_000 });
});
afterAll(() => runs.end());

describe.each(Object.entries(WORKLOADS))('%s', (_, workload: Workload) => {
  let clean: Run;
  beforeAll(async () => {
    clean = await runs.runOf(workload, []);
  });

  test('costs these calls where nothing goes wrong', () => {
    expect(clean.calls.map(({ label }) => label)).toEqual(workload.calls);
    expect(clean.outcome.ids).toEqual(workload.ids);
  });

  const points = workload.calls.flatMap((label, index) => MOMENTS.map((moment) => ({ label, at: index + 1, moment })));
  test.concurrent.each(points)('ends the same where killed at call $at, $label: $moment', async ({ at, moment }) => {
    const killed = [{ at, moment }];
    expectLikeClean(await runs.runOf(workload, killed), clean, killed);
  });
});
