import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { renderFlagTable } from '../../src/config.ts';
import { FAILURES } from '../../src/kinds/failures.ts';
import { createMetrics } from '../../src/metrics.ts';

const readme = readFileSync('README.md', 'utf8');

test('the README has the table of flags as the flags are', () => {
  expect(readme).toContain(renderFlagTable().trim());
});

test.each([...Object.keys(FAILURES), 'Pending', 'Applied', 'Fetched', 'Planned', 'Suspended'])(
  'the README says what to do about %s',
  (reason) => {
    expect(readme).toMatch(new RegExp(`^\\| \`${reason}\` \\|.{40,}\\|$`, 'm'));
  },
);

test('every metric of ours that the README names is served', () => {
  const served = createMetrics().render();
  const named = [...new Set(readme.match(/pipewright_[a-z_]*[a-z]/g))].filter((name) => name.split('_').length > 2);
  expect(named.length).toBeGreaterThan(8);
  for (const name of named) expect(served, name).toContain(`# TYPE ${name} `);
});

test('every script that the README tells people to run exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const told = [...readme.matchAll(/npm run ([a-z]+)/g)].map(([, name]) => name);
  expect(told.length).toBeGreaterThan(3);
  for (const name of told) expect(Object.keys(scripts)).toContain(name);
});
