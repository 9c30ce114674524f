import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { rolldown } from 'rolldown';
import { describe, expect, test } from 'vitest';
import { type Accepted, objections, toAccept, written } from '../bundle/accepted.ts';
import { make } from '../bundle/bundles.ts';
import { type Bundled, type Contents, contentsOf } from '../bundle/contents.ts';
import { notices, table } from '../bundle/texts.ts';
import { temporaryFolder } from '../support/folder.ts';

/** What is in a bundle that is really made of these files. */
async function bundled(files: Readonly<Record<string, string>>): Promise<Contents> {
  const folder = await temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  let contents: Promise<Contents> | undefined;
  const built = await rolldown({
    input: join(folder, 'main.js'),
    platform: 'node',
    plugins: [
      {
        name: 'contents',
        generateBundle(_, output) {
          for (const chunk of Object.values(output))
            if (chunk.type === 'chunk')
              contents = contentsOf(chunk, (id) => this.getModuleInfo(id));
        },
      },
    ],
  });
  await built.generate({ format: 'esm', codeSplitting: false });
  await built.close();
  if (!contents) throw new Error('nothing was made');
  return contents;
}

const about = (name: string, license = 'MIT'): string =>
  JSON.stringify({ name, version: '1.2.3', license, type: 'module', main: 'index.js' });

const FILES = {
  'main.js': "import { run } from 'runs'; import { other } from '@a/unused'; console.log(run);",
  'node_modules/runs/package.json': about('runs'),
  'node_modules/runs/LICENSE': 'Licence of runs',
  'node_modules/runs/index.js':
    "export { run } from './lib/run.js'; export { aside } from './aside/aside.js';",
  'node_modules/runs/lib/NOTICE.md': 'Notice of lib',
  'node_modules/runs/lib/run.js':
    "import { spawn } from 'node:child_process'; import { inner } from 'inner'; export const run = () => spawn(inner);",
  'node_modules/runs/aside/LICENSE': 'Licence of aside',
  'node_modules/runs/aside/aside.js': 'export const aside = 1;',
  'node_modules/runs/node_modules/inner/package.json': about('inner', 'ISC'),
  'node_modules/runs/node_modules/inner/licence.txt': 'Licence of inner',
  'node_modules/runs/node_modules/inner/index.js': "export const inner = 'x'.repeat(3);",
  'node_modules/@a/unused/package.json': about('@a/unused', 'GPL-3.0-only'),
  'node_modules/@a/unused/index.js': 'export const other = 1;',
};

test('the packages of a bundle are those of which code is in it, each with its licences and its reach', async () => {
  const { own, packages } = await bundled(FILES);
  expect(own.bytes).toBeGreaterThan(10);
  expect(packages).toEqual([
    {
      name: 'inner',
      version: '1.2.3',
      licence: 'ISC',
      reaches: [],
      texts: ['Licence of inner'],
      bytes: expect.any(Number) as number,
    },
    {
      name: 'runs',
      version: '1.2.3',
      licence: 'MIT',
      reaches: ['child_process'],
      texts: ['Licence of runs', 'Notice of lib'],
      bytes: expect.any(Number) as number,
    },
  ]);
});

test('the notices have each licence, the table each package by size', async () => {
  const contents = await bundled(FILES);
  const rest = { bundle: { file: 'one.js', input: 'one.ts' }, code: 'x'.repeat(2048) };
  expect(notices([{ contents }])).toMatch(
    /inner 1\.2\.3 \(ISC\)\n\nLicence of inner\n[^]*runs 1\.2\.3 \(MIT\)\n\nLicence of runs\n\nNotice of lib\n/,
  );
  const shown = table({ ...rest, contents });
  expect(shown).toMatch(/^dist\/one\.js: 2 KiB, /);
  expect(shown).toMatch(/^ {2}runs 1\.2\.3 +0\.\d {2}MIT +child_process$/m);
});

test('the notices have a package of two bundles once, with the licences of what is in either', async () => {
  const contents = await bundled(FILES);
  const packages = contents.packages.map((one) => ({ ...one, texts: ['Another part'] }));
  const text = notices([{ contents }, { contents: { ...contents, packages } }]);
  expect(text.match(/^inner 1\.2\.3/gm)).toHaveLength(1);
  expect(text).toMatch(/inner 1\.2\.3 \(ISC\)\n\nLicence of inner\n\nAnother part\n/);
});

test('what is imported by import() is in the file, and with what it needs of Node runs only when it is asked for', async () => {
  const folder = await temporaryFolder();
  const files = {
    'main.js': `if (process.argv[2]) console.log((await import('./more.js')).said);
      console.log(process.moduleLoadList.includes('NativeModule zlib'));`,
    'more.js': `import { gzipSync } from 'node:zlib';
      console.log('more is run'); export const said = gzipSync('x').length;`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const { code } = await make({ file: 'one.js', input: join(folder, 'main.js'), isProgram: true });
  const file = join(folder, 'one.mjs');
  await writeFile(file, code, { mode: 0o755 });
  const say = (...args: string[]): string =>
    execFileSync(process.execPath, [file, ...args], { cwd: '/', encoding: 'utf8' });
  expect(say()).toBe('false\n');
  expect(say('x')).toBe('more is run\n21\ntrue\n');
  expect(code.split('\n', 1)).toEqual(['#!/usr/bin/env node']);
});

describe('what nobody has accepted is named', () => {
  const one: Bundled = {
    name: 'one',
    version: '1.0.0',
    licence: 'MIT',
    bytes: 10,
    reaches: [],
    texts: ['text'],
  };
  const own = { bytes: 1, reaches: [] };
  const of = (packages: readonly Bundled[], file = 'a.js') => ({
    bundle: { file },
    contents: { own, packages },
  });
  const accepted = toAccept([of([one])]);
  const said = (packages: readonly Bundled[]): string[] => objections([of(packages)], accepted);

  test('in one bundle what was accepted in another, and a bundle that is new', () => {
    const both = toAccept([of([one], 'a.js'), of([], 'b.js')]);
    const isNew = expect.stringContaining('b.js: one is new in the bundle') as string;
    expect(objections([of([one], 'a.js'), of([one], 'b.js')], both)).toEqual([isNew]);
    expect(objections([of([one], 'b.js')], accepted)).toContainEqual(isNew);
  });

  test('as it is read back from the file', () => {
    const both = toAccept([of([one], 'a.js'), of([], 'b.js')]);
    expect(JSON.parse(written(both)) as Accepted).toEqual(both);
  });

  test('not where all is as it was, whatever the version and size', () => {
    expect(said([{ ...one, version: '2.0.0', bytes: 99 }])).toEqual([]);
  });

  test.each<[string, readonly Bundled[], string]>([
    ['a new package', [one, { ...one, name: 'two' }], 'two is new in the bundle'],
    ['one that is gone', [], 'one is no longer in the bundle'],
    ['a new reach', [{ ...one, reaches: ['child_process'] }], '"reaches":["child_process"]'],
    ['another licence', [{ ...one, licence: 'ISC' }], 'one was {"licence":"MIT"'],
  ])('%s', (_, packages, words) => {
    expect(said(packages)).toEqual([expect.stringContaining(words)]);
  });

  test.each(['GPL-3.0-only', '', 'SEE LICENSE IN x', 'MIT AND GPL-2.0-only'])(
    'the licence %j, though it was accepted before',
    (licence) => {
      const packages = [{ ...one, licence }];
      expect(objections([of(packages)], toAccept([of(packages)]))).toEqual([
        expect.stringContaining(`one 1.0.0 has the licence ${JSON.stringify(licence)}`),
      ]);
    },
  );

  test('not a choice of which we may take one', () => {
    const packages = [{ ...one, licence: '(MIT OR GPL-3.0-or-later)' }];
    expect(objections([of(packages)], toAccept([of(packages)]))).toEqual([]);
  });

  test('a package without the text of its licence', () => {
    expect(said([{ ...one, texts: [] }])).toEqual([
      'a.js: one 1.0.0 comes without the text of its licence',
    ]);
  });
});
