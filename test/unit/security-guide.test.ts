import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const rows = [
  ...readFileSync('deploy/guides/security.md', 'utf8').matchAll(/^\| (S\d+) \| (.+) \| (.+) \|$/gm),
].map(([, id = '', , holds = '']) => ({
  id,
  tests: [...holds.matchAll(/`(test\/[^`]+)` "([^"]+)"/g)].map(([, file = '', title = '']) => ({
    file,
    title,
  })),
}));

test('the security guide names S1 to S14, in order', () => {
  expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 14 }, (_, nth) => `S${nth + 1}`));
});

test('and for each the tests that hold it, which are there', () => {
  const missing = rows.flatMap(({ id, tests }) => {
    const absent = tests.filter(
      ({ file, title }) => !existsSync(file) || !readFileSync(file, 'utf8').includes(title),
    );
    return tests.length === 0 ? [`${id} names none`] : absent.map(({ title }) => `${id}: ${title}`);
  });
  expect(missing).toEqual([]);
});
