import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { EXAMPLES_READ, NAMES } from '../support/kinds.ts';
import { fencesIn, type PageBlock, pageBlocks } from '../support/page.ts';
import { CRDS } from './crds.ts';

/** What cannot be had here, and how each command that needs it is known. */
const NOT_HAD: Readonly<Record<string, RegExp>> = {
  Terraform: /^terraform /,
  'Sealed Secrets': /\bkubeseal /,
  'a cloud account': /^(?:aws|gcloud) /,
  'a container engine': /^(?:docker|podman) /,
  'a node that runs Pods': /^(?:helm test|kubectl -n pipewright logs) /,
  'a published release': /^curl .*\/releases\/download\//,
};
const COMMAND =
  /(?:^|: |[;&|(]\s*|\b(?:do|then|sudo|env)\s+|^\w+=\S*\s+)(?:\$ )?(?:kubectl|helm|npm|npx|node|git|curl|docker|podman|argocd|flux|velero|terraform|gh) /;

const read = (path: string): string => readFileSync(path, 'utf8');
const guide = (name: string): string => read(`deploy/guides/${name}.md`);
const PAGES = ['README.md', ...globSync('{deploy,.github}/**/*.md')];
const isComment = /^\s*(?:\/\/|\*|\/\*).*$/gm;
const TESTS = globSync('test/**/*.ts').map((path) => read(path).replaceAll(isComment, ''));
const runnable = (page: string): PageBlock[] =>
  pageBlocks(page).filter(({ notRun }) => notRun === undefined);

/** All commands that are run, of all pages: what a sentence names must be among them. */
const RUN = PAGES.flatMap((page) => runnable(page).map(({ script }) => script)).join('\n');

/** A line with those that continue it. */
function statements(script: string): string[] {
  const lines = script.replaceAll(/\\\n\s*/g, '').split('\n');
  return lines.filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

/** Pages whose commands tests ask for, with the chapters; without any, it is the whole page. */
const ASKED = TESTS.flatMap((source) => [
  ...source.matchAll(/pageBlocks\(\s*'([^']+)'((?:,\s*'[^']+')*),?\s*\)/g),
]);

test.each(PAGES.filter((page) => runnable(page).length > 0))(
  'tests run the commands of %s, of every chapter',
  (page) => {
    const asked = ASKED.filter(([, asks]) => asks === page).map(([, , chapters = '']) => chapters);
    const isRun = (chapter: string): boolean =>
      asked.some((chapters) => chapters === '' || chapters.includes(`'${chapter}'`));
    const chapters = runnable(page).map(({ chapter }) => chapter);
    expect(chapters.filter((chapter) => !isRun(chapter))).toEqual([]);
  },
);

describe.each(PAGES)('%s', (page) => {
  const text = read(page);

  test('says of a command that it is not run only where it needs what cannot be had here', () => {
    for (const { line, script, notRun } of pageBlocks(page)) {
      const needs = statements(script).map((one) =>
        Object.keys(NOT_HAD).find((name) => NOT_HAD[name]?.test(one)),
      );
      expect({ line, needs: new Set(needs) }).toEqual({ line, needs: new Set([notRun]) });
    }
  });

  test('has no command outside of the blocks that are run', () => {
    const others = fencesIn(text).filter(({ language }) => !['sh', 'console'].includes(language));
    const languages = others.map(({ language }) => language);
    expect(['yaml', 'text', 'mermaid']).toEqual(expect.arrayContaining(languages));
    const outside = text.replaceAll(/^ *```[^]*?^ *```$/gm, '').split('\n');
    const indented = outside.filter((line) => line.startsWith('    '));
    const lines = [...others.flatMap((fence) => fence.lines), ...indented].map((line) =>
      line.trim(),
    );
    expect(lines.filter((line) => COMMAND.test(line))).toEqual([]);
  });

  test('names in its sentences only whole commands that are run, on this page or another', () => {
    const inline = [...text.matchAll(/`((?:kubectl|helm) [^`\n]+)`/g)].map(([, code = '']) => code);
    const whole = inline.filter((code) => code.split(' ').length > 5 && !code.includes('…'));
    expect(whole.filter((code) => !RUN.includes(code))).toEqual([]);
  });
});

test('the guides explain every kind, and every origin and state of an endpoint', () => {
  for (const { names } of CRDS)
    expect(guide('objects')).toContain(`| \`${names.kind}\` | \`${names.shortNames.join()}\` |`);
  const statuses = CRDS.map(({ status }) => status);
  const entries = statuses.map(({ properties = {} }) => properties['privateEndpoints']?.items);
  const fields = entries.flatMap((one) => [
    one?.properties?.['origin'],
    one?.properties?.['state'],
  ]);
  const words = fields.flatMap((field) => field?.enum ?? []);
  expect(words).toHaveLength(8);
  for (const word of words)
    expect(guide('concepts')).toMatch(new RegExp(`^\\| \`${word}\` \\|.{20,}\\|.{5,}\\|$`, 'm'));
});

test.each([
  ['README.md', 'PipeSettings', 'pipesettings'],
  ['deploy/guides/objects.md', 'Organization', 'organization'],
  ...EXAMPLES_READ.map(({ kind }) => NAMES[kind].kind).map((kind) => [
    'deploy/guides/objects.md',
    kind,
    kind.toLowerCase(),
  ]),
])('the object that %s shows of %s is the example that its commands apply', (page, kind, name) => {
  const shown = fencesIn(read(page)).filter(({ lines }) => lines.includes(`kind: ${kind}`));
  expect(shown).toHaveLength(1);
  const object = parse(shown[0]?.lines.join('\n') ?? '');
  expect(object).toEqual(parse(read(`deploy/examples/${name}.yaml`)));
});

test('variables, metrics and fields that the guides name are there', () => {
  const known = `${guide('reference')}${read('crds/reference.md')}`;
  const prose = globSync('deploy/guides/*.md')
    .map((page) => read(page))
    .join('\n');
  const names = [
    ...prose.matchAll(/\b(PIPEWRIGHT_[A-Z_]+|pipewright_[a-z]+_[a-z_]+[a-z])\b/g),
    ...prose.matchAll(/`(?:spec|status)\.([a-zA-Z]+)/g),
  ].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(50);
  const isKnown = (name: string): boolean => new RegExp(`\`${name}(?:\`|[.[])`).test(known);
  expect(names.filter((name) => !isKnown(name))).toEqual([]);
});

test('every script that pages tell people to run is there', () => {
  const { scripts } = JSON.parse(read('package.json'));
  const pages = [...PAGES, ...globSync('{src,test,crds}/**/*.md')].map(read).join('\n');
  const told = [...pages.matchAll(/npm run ([a-z:]+)/g)].map(([, name]) => name);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(told));
});

test('the comments of the chart’s values name every flag that has a value', () => {
  const values = read('deploy/helm/pipewright/values.yaml');
  const named = [...values.matchAll(/\(--([a-z-]+)\)/g)].map(([, flag = '']) => flag);
  const flags = [...guide('reference').matchAll(/^\| `--([a-z-]+)/gm)].map(([, flag = '']) => flag);
  // What the chart knows by itself, or a process in a Pod does.
  const isKnown = /^(context|kubeconfig|leader-elect|leader-elect-na.*|listen)$/;
  expect(named.toSorted()).toEqual(flags.filter((flag) => !isKnown.test(flag)).toSorted());
  const defaults = [...values.matchAll(/Empty: (\S+) \((--[a-z-]+)\)$/gm)];
  expect(defaults).not.toEqual([]);
  for (const [, value = '', flag = ''] of defaults)
    expect(guide('reference')).toMatch(
      new RegExp(`^\\| \`${flag} [^|]*\\|[^|]*\\| \`${value}\` \\|`, 'm'),
    );
});
