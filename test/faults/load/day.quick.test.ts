import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { complaintsOf, KEY_REFUSED, NOTHING, REFUSED, ROTATED } from './day-budget.ts';
import { type Life, startLife } from './day-life.ts';

let life: Life;
beforeAll(async () => {
  life = await startLife();
});
afterAll(() => life.end());

describe('Day: 1,000 PipeSettings cost no more than README.md says, in 24 hours in which', () => {
  test.each([NOTHING, ROTATED, REFUSED, KEY_REFUSED])('$row', { timeout: 180_000 }, async (row) => {
    expect(await complaintsOf(life, row)).toEqual([]);
  });
});
