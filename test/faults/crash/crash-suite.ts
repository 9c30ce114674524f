import { beforeAll, describe, expect, test } from 'vitest';
import { expectLikeClean, labelsOf } from './crash-judge.ts';
import { pointsOf } from './crash-points.ts';
import { type Run, runOf } from './crash-runs.ts';
import type { Workload } from './crash-workloads.ts';

/** As many as show that the masks are right and the calls always the same. */
const CLEAN_RUNS = 3;

/** The calls of a workload with its events, which are counted apart. */
function allCalls({ calls, events }: Workload) {
  return [...calls, ...Array.from({ length: events }, () => 'event' as const)];
}

/** Clean runs, which must all be alike; gives one. */
export async function cleanRunOf(workload: Workload, count = 1): Promise<Run> {
  const runs = await Promise.all(Array.from({ length: count }, () => runOf(workload)));
  const [first] = runs;
  if (!first) throw new Error('there is no clean run');
  for (const { outcome } of runs) expect(outcome).toEqual(first.outcome);
  for (const run of runs) expect(labelsOf(run)).toEqual(workload.calls);
  for (const { events } of runs) expect(events).toHaveLength(workload.events);
  return first;
}

/**
 * A case per call and moment of a workload: the process is killed there and another one started.
 */
export function describeKills(title: string, workload: Workload): void {
  describe(`R1, R2: ${title}`, () => {
    let clean: Run;
    beforeAll(async () => {
      clean = await cleanRunOf(workload, CLEAN_RUNS);
    });

    test.concurrent.each(pointsOf(allCalls(workload)))(
      'ends as if nothing had been, killed at $label $nth: $moment',
      async (point) => {
        expectLikeClean(await runOf(workload, { kills: [point] }), clean, {
          points: [point],
          fate: 'killed',
        });
      },
    );
  });
}
