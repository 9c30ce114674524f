import { beforeAll, describe, test } from 'vitest';
import { expectLikeClean } from './crash-judge.ts';
import { type Point, pointsOf } from './crash-points.ts';
import { type Run, runOf } from './crash-runs.ts';
import { cleanRunOf } from './crash-suite.ts';
import { SETTINGS_WORKLOADS } from './crash-workloads.ts';

const workload = SETTINGS_WORKLOADS['a change of its settings'];
/** The next renewal comes within 2 s of the change. */
const POINTS: readonly Point[] = [
  ...pointsOf(workload.calls),
  { label: 'lease', nth: 1, moment: 'lost' },
  { label: 'lease', nth: 1, moment: 'done' },
];

describe('R1, R2: a change of settings by processes that use a Lease', () => {
  let clean: Run;
  beforeAll(async () => {
    clean = await cleanRunOf(workload);
  });

  test.concurrent.each(POINTS)(
    'ends as if nothing had been, once the Lease of the dead has run out, killed at $label $nth: $moment',
    async (point) => {
      const run = await runOf(workload, { kills: [point], lease: true });
      expectLikeClean(run, clean, { points: [point], fate: 'killed' });
    },
  );
});
