import { expect, test } from 'vitest';
import type { PageBlock } from '../../support/page.ts';
import type { Desk } from './desk.ts';

/** By a place of a page, which is there: `Section`, or `Section >> beginning of a script`. */
type ByPlace<T> = Readonly<Record<string, T>>;

export interface Following {
  /** Done before the first block of this place. */
  readonly before?: ByPlace<() => unknown>;
  /** Done behind the last block of this place: what holds then, beside what the page shows. */
  readonly after?: ByPlace<() => unknown>;
  /** The exit code of the blocks of this place, where that is not 0. */
  readonly endsWith?: ByPlace<number>;
}

const WAITS = /\bwait\b/;
/** What is prepared, a block, and what it leaves: namespaces and CRDs take long to go. */
const TIMEOUT_MS = 540_000;

/**
 * A test for each block that the page does not mark, in their order. The operator runs as its
 * Deployment is by then wherever that matters.
 */
export function follow(
  blocks: readonly PageBlock[],
  desk: () => Desk,
  { before = {}, after = {}, endsWith = {} }: Following = {},
): void {
  const toRun = blocks.filter(({ notRun }) => notRun === undefined);
  const placed = (place: string): PageBlock[] => toRun.filter((block) => isPlace(place, block));
  for (const block of toRun) {
    const { line, section, script, shown } = block;
    const at = <T>(table: ByPlace<T>, end?: 0 | -1): T[] =>
      Object.entries(table)
        .filter(([place]) => isPlace(place, block))
        .filter(([place]) => end === undefined || placed(place).at(end) === block)
        .map(([, one]) => one);
    const [prepared, seen] = [at(before, 0), at(after, -1)];
    const isLookedAt = prepared.length + seen.length > 0 || shown !== undefined;
    const expectOutcome = async (): Promise<void> => {
      if (isLookedAt || WAITS.test(script)) await desk().node.sync();
      for (const prepare of prepared) await prepare();
      const [code = 0] = at(endsWith);
      const { stderr } = await desk().follow(block, [code]);
      // A loop or a pipe hides what fails in it.
      const hidden = code === 0 ? stderr.match(/^error|\binvalid\b/im) : null;
      expect(hidden, stderr).toBeNull();
      for (const look of seen) await look();
    };
    test(
      `line ${line}, ${section}: ${script.split('\n', 1)[0]}`,
      () => expectOutcome(),
      TIMEOUT_MS,
    );
  }
  test('every place that is prepared or looked at is there', () => {
    const places = [before, after, endsWith].flatMap((table) => Object.keys(table));
    expect(places.filter((place) => placed(place).length === 0)).toEqual([]);
  });
}

function isPlace(place: string, { section, script }: PageBlock): boolean {
  const [inSection, begin = ''] = place.split(' >> ');
  return inSection === section && script.startsWith(begin);
}
