import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { isAside, type Label } from './crash-calls.ts';
import { expectLikeClean } from './crash-judge.ts';
import { type Point, pointsOf } from './crash-points.ts';
import { type Run, runOf } from './crash-runs.ts';
import { cleanRunOf } from './crash-suite.ts';
import type { Taken } from './crash-tap.ts';
import { ORGANIZATION_WORKLOADS } from './crash-workloads.ts';

/**
 * The first death: the change is on record, has left, and never arrives. No recovery takes more
 * calls.
 */
const FIRST: Point = { label: 'change', nth: 1, moment: 'lost' };
/** How often it is looked for depends on the jitter of waits. */
const LOOKED = 'look result ';
const SENT = 'look intent change result';
/** The removal goes as soon as it is known to be lost, the adds ten minutes later. */
const RECOVERY = new RegExp(`^(${LOOKED}){3,}${SENT} (${LOOKED})*${SENT}$`);
/** Some of it, in order. */
const PLACES: readonly Label[] = [
  'secret',
  'look',
  'result',
  'look',
  'result',
  'intent',
  'change',
  'intent',
  'change',
];
const workload = ORGANIZATION_WORKLOADS['an edit that adds two endpoints and removes one'];

function isSameResult({ label, body }: Taken, before: Taken | undefined): boolean {
  return (
    label === 'result' &&
    before?.label === 'result' &&
    isDeepStrictEqual(statusOf(body), statusOf(before.body))
  );
}

function statusOf(body: unknown): unknown {
  return (body as { readonly status?: unknown }).status;
}

describe('R1, R2: an edit whose change was lost with the process, and a second death in the recovery', () => {
  let clean: Run;
  beforeAll(async () => {
    clean = await cleanRunOf(workload);
  });

  test('what was lost is looked for at once and until nothing can be at work any more, and only then sent again', async () => {
    const { calls } = await runOf(workload, { kills: [FIRST] });
    // A Secret is read again where its value is older than five seconds.
    const recovery = calls.filter(
      ({ life, label }) => life > 1 && !isAside(label) && label !== 'secret',
    );
    // The label that wakes it may cross the write of a result, which then goes on top of it
    // unchanged.
    const once = recovery.filter((call, index) => !isSameResult(call, recovery[index - 1]));
    expect(once.map(({ label }) => label).join(' ')).toMatch(RECOVERY);
  });

  test.concurrent.each(pointsOf(PLACES))(
    'ends as if nothing had been, killed again at $label $nth: $moment',
    async (second) => {
      const kills = [FIRST, second];
      expectLikeClean(await runOf(workload, { kills }), clean, { points: kills, fate: 'killed' });
    },
  );
});
