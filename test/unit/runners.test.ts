import { existsSync, globSync, readFileSync } from 'node:fs';
import { matchesGlob } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BUDGET, PARTS, type Part, STAGES } from '../ci-parts.ts';
import { LONG, RUNNERS, type Runner } from '../runners.ts';
import { duration, Timetable } from '../timetable.ts';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Record<string, string>;
};

describe('runners', () => {
  test('every test file belongs to exactly one', () => {
    const files = globSync('test/**/*.test.ts');
    expect(files.length).toBeGreaterThan(200);
    const runners: [string, Runner][] = Object.entries(RUNNERS);
    const wrong = files
      .map((file) => {
        const those = runners.filter(([, { files }]) =>
          files.some((one) => matchesGlob(file, one)),
        );
        return `${file}: ${those.map(([name]) => name).join(' and ') || 'none'}`;
      })
      .filter((line) => / and |: none$/.test(line));
    expect(wrong).toEqual([]);
  });

  test.each(LONG)('%s, which is begun first, is there', (file) => {
    expect(existsSync(file)).toBe(true);
  });

  test.each(Object.entries(RUNNERS))('what runs %s is called by .ci/run', (_, { npm }) => {
    expect(PARTS.map((part) => part.npm)).toContainEqual(npm);
  });
});

describe('.ci/run', () => {
  test('calls only scripts that there are', () => {
    for (const { npm } of PARTS) expect(Object.keys(scripts)).toContain(npm[0]);
  });

  test('has parts that take no more in all than it may', () => {
    for (const machine of ['warm', 'fresh'] as const) {
      const sumOf = (parts: readonly Part[]) =>
        parts.reduce((minutes, { budget }) => minutes + budget[machine], 0);
      const stages = STAGES.map(({ parts, behind = [] }) => Math.max(sumOf(parts), sumOf(behind)));
      const sum = stages.reduce((minutes, stage) => minutes + stage, 0);
      expect(sum, machine).toBeLessThanOrEqual(BUDGET[machine]);
    }
  });
});

describe('a timetable', () => {
  const open = (isFresh: boolean, budget = { warm: 5, fresh: 12 }) => {
    let now = 0;
    const table = new Timetable({ command: 'npm test', budget, isFresh, now: () => now });
    const take = (name: string, seconds: number, share?: typeof budget) => {
      const run = async (): Promise<boolean> => {
        now += seconds * 1_000;
        return true;
      };
      return table.part(name, run, share && { budget: share });
    };
    return { table, take };
  };

  test('tells what each part took, and all of it beside what it may take', async () => {
    const { table, take } = open(false);
    expect(await take('bundle', 1.26)).toBe(true);
    await take('unit tests', 249);
    expect(table.lines()).toEqual([
      '  bundle             1.3 s',
      '  unit tests     4 min 9 s',
      'npm test took 4 min 10 s; budget 5 min warm',
    ]);
  });

  test('marks what took too long, and says that it does not fail for that', async () => {
    const { table, take } = open(false);
    await take('one', 301, { warm: 5, fresh: 5 });
    await take('two', 1, { warm: 1, fresh: 1 });
    const [one, two, all] = table.lines();
    expect(one).toMatch(/of 5 min warm, OVER$/);
    expect(two).toMatch(/of 1 min warm$/);
    expect(all).toMatch(/^npm test took 5 min 2 s; budget 5 min warm: OVER\. That is no failure/);
  });

  test('goes by the budget of a new machine where something has to be built', async () => {
    const { table, take } = open(true);
    await take('all', 400);
    expect(table.lines().at(-1)).toBe('npm test took 6 min 40 s; budget 12 min on a new machine');
  });

  test('has a line also for a part that throws', async () => {
    const { table } = open(false);
    await expect(table.part('broken', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(table.lines()[0]).toContain('broken');
  });

  test.each([
    [0, '0.0 s'],
    [59_400, '59.4 s'],
    [59_600, '1 min 0 s'],
    [3_601_000, '60 min 1 s'],
  ])('writes %i ms as %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});
