import { describe, expect, test } from 'vitest';
import { crowd } from './views-crowd.ts';
import { LATE, runLate, type Telling } from './views-late.ts';

const CLEAN: Telling = 'as it happens';
const TELLINGS = [
  { property: 'R14', telling: '5 s late' },
  { property: 'R5', telling: 'twice' },
] as const;
const resultsOf = crowd([CLEAN, ...TELLINGS.map(({ telling }) => telling)], {
  atOnce: 2,
  run: runLate,
});

describe.each(TELLINGS)('$property: watches tell $telling', ({ telling }) => {
  test.each(LATE)(
    '$sort, $acts (the answer to the first result lost: $isLost)',
    async ({ name }) => {
      const [clean, told] = (await Promise.all([resultsOf(CLEAN), resultsOf(telling)])).map((all) =>
        all.get(name),
      );
      expect(told?.calls, 'the same calls in the same order').toEqual(clean?.calls);
      expect(told?.said, 'the same is written, and nothing twice').toEqual(clean?.said);
      expect(told?.heirSaid).toEqual(clean?.heirSaid);
      expect(told?.outcome).toEqual(clean?.outcome);
    },
  );
});
