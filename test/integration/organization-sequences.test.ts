import { beforeAll, describe, expect, test } from 'vitest';
import { type Lane, openLane } from '../support/organization-sequence-lane.ts';

/** As many as tests of a file run at the same time. */
const LANES = 5;
const SEEDS = Array.from({ length: 220 }, (_, index) => index + 1);

const free: Lane[] = [];
beforeAll(async () => {
  const lanes = await Promise.all(Array.from({ length: LANES }, openLane));
  free.push(...lanes);
  return () => Promise.all(lanes.map((lane) => lane.end()));
});

describe.concurrent('whatever the user, others and failures do, API, ledger and counts are as in the reference', () => {
  test.each(SEEDS)('seed %i', async (seed) => {
    const lane = free.pop();
    if (!lane) throw new Error('more tests run at the same time than there are lanes');
    const steps = await lane.play(seed).finally(() => free.push(lane));
    expect(steps).toBeGreaterThanOrEqual(4);
  });
});
