import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readSources, type Sources } from '../support/imports.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Every way to the wall clock, also as a function that is handed on. */
const WALL_CLOCK =
  /\bDate\.now\b|\bnew Date\(\s*\)|(?<!new )\bDate\(\s*\)|\btimeOrigin\b|\bTemporal\b/;
const ALLOWED = new Map([['src/clock.ts', 'the one place: systemClock.now']]);

function readersOf(sources: Sources): string[] {
  return [...sources].filter(([, text]) => WALL_CLOCK.test(text)).map(([path]) => path);
}

test('the wall clock is read by src/clock.ts alone', () => {
  expect(readersOf(readSources(ROOT, 'src')).toSorted()).toEqual([...ALLOWED.keys()].toSorted());
});
