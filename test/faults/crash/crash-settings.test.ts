import { describe, expect, test } from 'vitest';
import { runOf } from './crash-runs.ts';
import { cleanRunOf, describeKills } from './crash-suite.ts';
import { FREE_WORKLOADS, SETTINGS_WORKLOADS, type Workload } from './crash-workloads.ts';

for (const [title, workload] of Object.entries(SETTINGS_WORKLOADS)) describeKills(title, workload);

describe('R1, R2: what costs no call', () => {
  test.concurrent.each(Object.entries<Workload>(FREE_WORKLOADS))(
    'costs none: %s',
    async (_, workload) => {
      expect((await cleanRunOf(workload)).calls).toEqual([]);
    },
  );

  test.concurrent.each(Object.entries<Workload>(FREE_WORKLOADS))(
    'costs none while nobody is there, and none when the next process starts: %s',
    async (_, workload) => {
      const { calls, events } = await runOf({ ...workload, act: whileNobodyIsThere(workload) });
      expect({ calls, events }).toEqual({ calls: [], events: [] });
    },
  );
});

function whileNobodyIsThere({ act }: Workload): Workload['act'] {
  return async (scene) => {
    await scene.crash(scene.tap.die(), () => act(scene));
    await scene.start();
  };
}
