import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { definitions } from '../../src/kinds/definitions.ts';
import { FAILURES } from '../../src/waits.ts';
import { fencesIn } from '../support/page.ts';

const guide = (name: string): string => readFileSync(`deploy/guides/${name}.md`, 'utf8');
const readme = readFileSync('README.md', 'utf8');

test.each([...Object.keys(FAILURES), 'Pending', 'Applied', 'Fetched', 'Planned', 'Suspended'])(
  'the page on conditions says what to do about %s',
  (reason) => {
    expect(guide('conditions')).toMatch(new RegExp(`^\\| \`${reason}\` \\|.{40,}\\|$`, 'm'));
  },
);

test('every script that README and CONTRIBUTING tell people to run exists', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    scripts: Record<string, string>;
  };
  const pages = readme + readFileSync('.github/CONTRIBUTING.md', 'utf8');
  const told = [...pages.matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => name);
  expect(told.length).toBeGreaterThan(10);
  for (const name of told) expect(Object.keys(scripts)).toContain(name);
});

test.each(definitions)(
  'the page on objects introduces $type.kind and shows an object of it',
  ({ type, shortName }) => {
    const page = guide('objects');
    expect(page).toContain(`| \`${type.kind}\` | \`${shortName}\` |`);
    expect(page).toContain(`\nkind: ${type.kind}\n`);
  },
);

test('the object of the README is the example that its commands apply', () => {
  const [object = ''] = fencesIn(readme)
    .filter(({ language }) => language === 'yaml')
    .map(({ lines }) => lines.join('\n'));
  const example = readFileSync('deploy/examples/pipesettings.yaml', 'utf8');
  expect(parse(object)).toEqual(parse(example));
});

test.each([
  ['PipeSettings', 'pipesettings'],
  ['Activity', 'activity'],
])('the %s of the page on objects is the example that its commands apply', (kind, name) => {
  const shown = fencesIn(guide('objects')).filter(({ lines }) => lines.includes(`kind: ${kind}`));
  expect(shown).toHaveLength(1);
  const example = readFileSync(`deploy/examples/${name}.yaml`, 'utf8');
  expect(parse(shown[0]?.lines.join('\n') ?? '')).toEqual(parse(example));
});

test('the README names the version of Kubernetes that the tests run on', () => {
  const mod = readFileSync('test/controlplane/go/kubernetes/go.mod', 'utf8');
  const [, version] = /k8s\.io\/kubernetes v(1\.\d+)\./.exec(mod) ?? [];
  expect(readme).toContain(`| Kubernetes | 1.32 or newer | on ${version} |`);
});

test('what it is, for whom, against what, and a recording are within the first 40 lines', () => {
  const first = readme.split('\n').slice(0, 40).join('\n');
  for (const part of ['```mermaid', 'It is for', '| Choose it when |', 'media/demo.svg'])
    expect(first).toContain(part);
  expect(readme.split('\n').length).toBeLessThanOrEqual(150);
});

test('the marked path through src is at most 2,500 lines long', () => {
  const [, path = ''] =
    /## Read this first\n([^]*?)\n## /.exec(readFileSync('src/README.md', 'utf8')) ?? [];
  const files = [...path.matchAll(/^\| \d+ \| `([^`]+)`/gm)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(10);
  const lines = files.map((file) => readFileSync(join('src', file), 'utf8').split('\n').length);
  expect(lines.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2_500);
});
