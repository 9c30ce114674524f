import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operatorRules, type Rule } from '../support/cluster.ts';
import { openCrashScene } from '../support/crash-scene.ts';
import { MOMENTS, type Point } from '../support/crash-tap.ts';
import { expectLikeClean, type Run, run, WORKLOADS, type Workload } from '../support/crash-workloads.ts';
import { openScene, type Scene } from '../support/scene.ts';

let common: Scene;
let rules: readonly Rule[];
beforeAll(async () => {
  [common, rules] = await Promise.all([openScene({ start: false }), operatorRules()]);
});
afterAll(() => common.end());

/** One run of its own, on an API where whatever is sent twice is there twice, and a second removal is refused. */
async function runOf(workload: Workload, points: readonly Point[]): Promise<Run> {
  const odd = { addExisting: 'duplicate', removeAbsent: 'bad-request' } as const;
  const scene = await openCrashScene(common, rules, { organization: odd });
  try {
    return await run(scene, workload, points);
  } finally {
    await scene.end();
  }
}

describe.each(Object.entries(WORKLOADS))('%s', (_, workload: Workload) => {
  let clean: Run;
  beforeAll(async () => {
    clean = await runOf(workload, []);
  });

  test('costs these calls where nothing goes wrong', () => {
    expect(clean.calls.map(({ label }) => label)).toEqual(workload.calls);
    expect(clean.outcome.ids).toEqual(workload.ids);
  });

  const points = workload.calls.flatMap((label, index) => MOMENTS.map((moment) => ({ label, at: index + 1, moment })));
  test.concurrent.each(points)(
    'ends the same where the operator is killed at call $at, $label: $moment',
    async ({ at, moment }) => {
      const killed = [{ at, moment }];
      expectLikeClean(await runOf(workload, killed), clean, killed);
    },
  );
});
