import { beforeAll, describe, test } from 'vitest';
import { isRemote } from './crash-calls.ts';
import { expectLikeClean } from './crash-judge.ts';
import { brokenMoments, type Point, pointsOf, type Silence } from './crash-points.ts';
import { type Run, runOf } from './crash-runs.ts';
import { cleanRunOf } from './crash-suite.ts';
import { ORGANIZATION_WORKLOADS, SETTINGS_WORKLOADS, type Workload } from './crash-workloads.ts';

/** For an answer that never comes: short, and still longer than a busy machine takes. */
const SHORT_MS = 4_000;

type Broken = Point & { readonly silence: Silence };

/**
 * A connection that is closed, at every call; and at those to the management API, whose timeout is
 * short here, one that says nothing.
 */
function broken({ calls }: Workload): Broken[] {
  const severed = pointsOf(calls, brokenMoments).map(
    (point) => ({ ...point, silence: 'severed' }) as const,
  );
  const mute = severed.filter(({ label, moment }) => isRemote(label) && moment !== 'late');
  return [...severed, ...mute.map((point) => ({ ...point, silence: 'silent' }) as const)];
}

const WORKLOADS: Readonly<Record<string, Workload>> = {
  ...SETTINGS_WORKLOADS,
  ...ORGANIZATION_WORKLOADS,
};

describe.each(Object.entries(WORKLOADS))('R2, R3: %s, with an answer taken away', (_, workload) => {
  let clean: Run;
  beforeAll(async () => {
    clean = await cleanRunOf(workload);
  });

  test.concurrent.each(broken(workload))(
    'ends as if it had been there, $label $nth: $moment, the connection $silence',
    async (point) => {
      const apiTimeoutMs = point.silence === 'silent' ? SHORT_MS : workload.apiTimeoutMs;
      expectLikeClean(await runOf(workload, { broken: point, apiTimeoutMs }), clean, {
        points: [point],
        fate: 'broken',
      });
    },
  );
});
