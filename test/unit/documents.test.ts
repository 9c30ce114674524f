import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fencesIn, type PageBlock, pageBlocks } from '../support/page.ts';

/** What cannot be had here, and how each command that needs it is known. */
const NOT_HAD: Readonly<Record<string, RegExp>> = {
  Terraform: /^terraform /,
  Velero: /^velero /,
  Flux: /^flux /,
  'Sealed Secrets': /\bkubeseal /,
  'a cloud account': /^(?:aws|gcloud) /,
  'a container engine': /^(?:docker|podman) /,
  'a node that runs Pods': /^(?:helm test|kubectl -n pipewright logs) /,
  'a published release': /^curl .*\/releases\/download\//,
};

/** Blocks that hold no commands. */
const OTHER_LANGUAGES = ['yaml', 'text', 'mermaid'];
const COMMAND =
  /(?:^|[;&|(]\s*|\b(?:do|then|sudo|env)\s+|^\w+=\S*\s+)(?:\$ )?(?:kubectl|helm|npm|npx|node|git|curl|docker|podman|argocd|flux|velero|terraform|gh) /;

const PAGES = ['README.md', ...globSync('{deploy,.github}/**/*.md')];
const TESTS = globSync('test/{unit,integration,packaging,argocd}/**/*.ts').map((file) =>
  readFileSync(file, 'utf8').replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, ''),
);

/** All commands that are run, of all pages: what a sentence names must be among them. */
const RUN = PAGES.flatMap(runnable)
  .map(({ script }) => script)
  .join('\n');

function runnable(page: string): PageBlock[] {
  return pageBlocks(page).filter(({ notRun }) => notRun === undefined);
}

function namedPages(source: string): string[] {
  return [...source.matchAll(/pageBlocks\('([\w./-]+)'\)/g)].map(([, page = '']) => page);
}

/** A line with those that continue it. */
function statements(script: string): string[] {
  return script
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !line.startsWith('#'));
}

test.each(PAGES.filter((page) => runnable(page).length > 0))(
  'a test runs the commands of %s',
  (page) => {
    expect(TESTS.filter((source) => source.includes(`pageBlocks('${page}')`))).not.toEqual([]);
  },
);

test.each([...new Set(TESTS.flatMap(namedPages))])(
  '%s, which a test runs, has commands',
  (page) => {
    expect(runnable(page)).not.toEqual([]);
  },
);

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(page, 'utf8');
  const blocks = pageBlocks(page);

  test('says of a command that it is not run only where it needs what cannot be had here', () => {
    for (const { line, script, notRun } of blocks) {
      const needs = statements(script).map((one) =>
        Object.keys(NOT_HAD).find((name) => NOT_HAD[name]?.test(one)),
      );
      expect({ line, needs: new Set(needs) }).toEqual({ line, needs: new Set([notRun]) });
    }
  });

  test('has no command outside of the blocks that are run', () => {
    const others = fencesIn(text).filter(({ language }) => !['sh', 'console'].includes(language));
    const unknown = others.filter(({ language }) => !OTHER_LANGUAGES.includes(language));
    expect(unknown).toEqual([]);
    const inFences = new Set(fencesIn(text).flatMap(({ lines }) => lines.map((one) => one.trim())));
    const indented = text
      .split('\n')
      .filter((line) => line.startsWith('    '))
      .map((line) => line.trim())
      .filter((line) => !inFences.has(line));
    const lines = [...others.flatMap(({ lines }) => lines), ...indented];
    expect(lines.filter((line) => COMMAND.test(line))).toEqual([]);
  });

  test('names in its sentences only whole commands that are run, on this page or another', () => {
    const inline = [...text.matchAll(/`((?:kubectl|helm) [^`\n]+)`/g)].map(([, code = '']) => code);
    const whole = inline.filter((code) => code.split(' ').length > 5 && !code.includes('…'));
    expect(whole.filter((code) => !RUN.includes(code))).toEqual([]);
  });
});
