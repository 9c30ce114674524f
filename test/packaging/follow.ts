import { expect, test } from 'vitest';
import type { PageBlock } from '../support/page.ts';
import type { Reader } from '../support/reader.ts';

/** By a place of a page, which has to be there: `Section`, or `Section >> beginning of a script`. */
type ByPlace<T> = Readonly<Record<string, T>>;

export interface Following {
  /** Done before the first block of this place. */
  readonly before?: ByPlace<() => unknown>;
  /** Done behind the last block of this place: what holds then, beside what the page shows. */
  readonly after?: ByPlace<() => unknown>;
  /** The exit code of the blocks of this place, where that is not 0. */
  readonly endsWith?: ByPlace<number>;
  /** What the blocks of this place print, where a person is to read something in it. */
  readonly prints?: ByPlace<RegExp>;
  /**
   * Has the operator run as its Deployment is by now; done where that matters, since each start
   * costs a second.
   */
  readonly sync?: () => Promise<void>;
  /** For each block. */
  readonly timeoutMs?: number;
}

/** Its outcome is the operator's. */
const WAITS = /\bwait\b/;

/** A test for each block that the page does not mark, in their order. */
export function follow(
  blocks: readonly PageBlock[],
  reader: () => Reader,
  { before = {}, after = {}, endsWith = {}, prints = {}, sync, timeoutMs }: Following = {},
): void {
  const toRun = blocks.filter(({ notRun }) => notRun === undefined);
  for (const block of toRun) {
    const { line, section, script, shown } = block;
    const here = <T>(table: ByPlace<T>, of: (at: PageBlock[]) => boolean = () => true): T[] =>
      Object.entries(table)
        .filter(
          ([place]) => isPlace(place, block) && of(toRun.filter((one) => isPlace(place, one))),
        )
        .map(([, one]) => one);
    const prepared = here(before, (at) => at[0] === block);
    const patterns = here(prints);
    const seen = here(after, (at) => at.at(-1) === block);
    const isLookedAt = [...prepared, ...patterns, ...seen].length > 0 || shown !== undefined;
    test(
      `line ${line}, ${section}: ${script.split('\n', 1)[0]}`,
      async () => {
        if (isLookedAt || WAITS.test(script)) await sync?.();
        for (const prepare of prepared) await prepare();
        const [code = 0] = here(endsWith);
        const { stdout } = await reader().follow(block, [code]);
        for (const pattern of patterns) expect(stdout).toMatch(pattern);
        for (const look of seen) await look();
      },
      timeoutMs,
    );
  }
  test('every place that is prepared or looked at is there', () => {
    const places = [before, after, endsWith, prints].flatMap((table) => Object.keys(table));
    const missing = places.filter((place) => !toRun.some((block) => isPlace(place, block)));
    expect(missing).toEqual([]);
  });
}

function isPlace(place: string, { section, script }: PageBlock): boolean {
  const [inSection, begin = ''] = place.split(' >> ');
  return inSection === section && script.startsWith(begin);
}
