import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { definitions } from '../../src/kinds/definitions.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { FAILURES } from '../../src/waits.ts';

const readme = readFileSync('README.md', 'utf8');

test.each([...Object.keys(FAILURES), 'Pending', 'Applied', 'Fetched', 'Planned', 'Suspended'])(
  'the README says what to do about %s',
  (reason) => {
    expect(readme).toMatch(new RegExp(`^\\| \`${reason}\` \\|.{40,}\\|$`, 'm'));
  },
);

test('the README names every metric of ours, and none that is not served', () => {
  const types = createMetrics()
    .render()
    .matchAll(/^# TYPE (pipewright_\w+) /gm);
  const served = new Set([...types].map(([, name]) => name));
  const named = new Set(readme.match(/\bpipewright_[a-z_]*[a-z]/g));
  expect(served.size).toBeGreaterThan(8);
  expect(named).toEqual(served);
});

test('every script that the README tells people to run exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>;
  };
  const told = [...readme.matchAll(/npm run ([a-z]+)/g)].map(([, name]) => name);
  expect(told.length).toBeGreaterThan(3);
  for (const name of told) expect(Object.keys(scripts)).toContain(name);
});

test.each(definitions)(
  'the README introduces $type.kind and shows an object of it',
  ({ type, shortName }) => {
    expect(readme).toContain(`| \`${type.kind}\` | \`${shortName}\` |`);
    expect(readme).toContain(`    kind: ${type.kind}\n`);
  },
);

test.each(['Added', 'Found', 'Adopted'])(
  'the README says what becomes of an endpoint whose origin is %s',
  (origin) => {
    expect(readme).toMatch(new RegExp(`^\\| \`${origin}\` \\|.{20,}\\|$`, 'm'));
  },
);

test('the marked path through src is at most 2,500 lines long', () => {
  const [, path = ''] =
    /## Read this first\n([^]*?)\n## /.exec(readFileSync('src/README.md', 'utf8')) ?? [];
  const files = [...path.matchAll(/^\| \d+ \| `([^`]+)`/gm)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(15);
  const lines = files.map((file) => readFileSync(join('src', file), 'utf8').split('\n').length);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2_500);
});
