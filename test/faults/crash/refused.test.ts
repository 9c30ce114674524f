import { beforeAll, describe, expect, test } from 'vitest';
import { expectLikeClean } from './crash-judge.ts';
import { type Point, pointsOf } from './crash-points.ts';
import { type Run, runOf } from './crash-runs.ts';
import { cleanRunOf } from './crash-suite.ts';
import { REFUSED } from './crash-workloads.ts';

/** From when the refused change is taken back in the status on; before that it reads as lost. */
const POINTS = pointsOf(REFUSED.calls).filter(
  ({ label, nth, moment }: Point) =>
    ['look', 'result'].includes(label) &&
    (nth === 2 || (label === 'result' && ['done', 'replied'].includes(moment))),
);

describe('R1, R2: adds that the API has refused, and that are there', () => {
  let clean: Run;
  beforeAll(async () => {
    clean = await cleanRunOf(REFUSED);
  });

  test('are taken back in the status before any further call, and are not ours', () => {
    const { object } = clean.outcome as { object: { status: { privateEndpoints: object[] } } };
    expect(object.status.privateEndpoints).toEqual(
      ['a Added', 'b Added', 'c Found', 'd Found'].map((text) => {
        const [id, origin] = text.split(' ');
        return expect.objectContaining({ id, origin, state: 'Present' }) as unknown;
      }),
    );
  });

  test.concurrent.each(POINTS)(
    'are not ours either, killed at $label $nth: $moment',
    async (point) => {
      const run = await runOf(REFUSED, { kills: [point] });
      expectLikeClean(run, clean, { points: [point], fate: 'killed' });
    },
  );
});
