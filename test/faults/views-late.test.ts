import { describe, expect, test } from 'vitest';
import { crowd } from './views-crowd.ts';
import { LATE, runLate } from './views-late.ts';

const CLEAN = 0;
const LAG_MS = 5_000;
const resultsOf = crowd([CLEAN, LAG_MS], { atOnce: 2, run: (lagMs) => runLate(lagMs) });

describe('R14: the view is 5 s behind', () => {
  test.each(LATE)('$sort, $acts (the answer to the first result lost: $isLost)', async ({ name }) => {
    const [clean, late] = (await Promise.all([resultsOf(CLEAN), resultsOf(LAG_MS)])).map((all) => all.get(name));
    expect(late?.calls, 'the same calls in the same order').toEqual(clean?.calls);
    expect(late?.said, 'the same is written, and nothing twice').toEqual(clean?.said);
    expect(late?.heirSaid).toEqual(clean?.heirSaid);
    expect(late?.outcome).toEqual(clean?.outcome);
  });
});
