import { beforeAll, describe, expect, test } from 'vitest';
import { AGAIN, type AgainResult, runAgain } from './views-again.ts';

describe('R4: shown the past without a restart', () => {
  let results: ReadonlyMap<string, AgainResult>;
  beforeAll(async () => {
    results = await runAgain();
  });

  test.each(AGAIN)('$sort, lived $lived: every line a second time asks for nothing', ({ name }) => {
    expect(results.get(name)?.replayed).toEqual([]);
  });

  test.each(AGAIN)(
    '$sort, lived $lived: lists from before are not believed, and what users do then is done once',
    ({ name, lived }) => {
      const result = results.get(name);
      expect(result?.past).toEqual([]);
      expect(new Set(result?.atTruth).size, 'nothing is sent twice').toBe(result?.atTruth.length);
      expect(result?.atTruth.length === 0).toBe(lived.at(-1) === 'remove');
    },
  );
});
