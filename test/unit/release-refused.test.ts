import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { type Ran, run, succeed } from '../packaging/run.ts';
import { temporaryFolder } from '../support/folder.ts';

const { version } = packageJson;
const MAIN = resolve('test/release/main.ts');

/** What a release is refused for before anything is built: the folder has none of the sources. */
async function project(): Promise<string> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, 'deploy/helm'), { recursive: true });
  await mkdir(join(folder, 'dist/release'), { recursive: true });
  for (const path of ['deploy/helm/pipewright', 'deploy/install.yaml'])
    await cp(path, join(folder, path), { recursive: true });
  await writeFile(join(folder, 'CHANGELOG.md'), `## ${version} (2026-12-01)\n\nThe first one.\n`);
  await writeFile(join(folder, 'dist/release/SHA256SUMS'), 'of before\n');
  return folder;
}

const release = (cwd: string, args: readonly string[], from = cwd): Promise<Ran> =>
  run(process.execPath, [MAIN, ...args], { cwd, env: { INIT_CWD: from } });

test('sums are read from where the user stands, and a file of something else costs no release', async () => {
  const [folder, elsewhere] = [await project(), await temporaryFolder()];
  await writeFile(join(elsewhere, 'sums'), 'no sums\n');
  const { code, stderr } = await release(folder, ['--verify', 'sums'], elsewhere);
  expect(stderr).toContain('sums is not a file of sums of a release: "no sums"');
  expect(code).toBe(1);
  expect(await readdir(join(folder, 'dist'))).toEqual(['release']);
});

test.each<[string, string[], number, string]>([
  ['another tag', ['--tag', 'v9.9.9'], 1, 'the tag is "v9.9.9", and package.json has the version'],
  ['no file', ['--verify='], 1, '--verify "" cannot be read: EISDIR'],
  ['a question', ['--help'], 0, 'npm run release [-- [--verify FILE-OF-SHA256SUMS] [--tag TAG]]'],
])('%s costs no release of before', async (_, args, exitCode, says) => {
  const folder = await project();
  const { code, stdout, stderr } = await release(folder, args);
  expect(stdout + stderr).toContain(says);
  expect(code).toBe(exitCode);
  expect(await readdir(join(folder, 'dist'))).toEqual(['release']);
});

const CHART = 'deploy/helm/pipewright';
const elsewhere: [string, string, string, string][] = [
  [
    `${CHART}/Chart.yaml`,
    `\nversion: ${version}\n`,
    '\nversion: 9.9.9\n',
    'Chart.yaml has the version "9.9.9"',
  ],
  [
    `${CHART}/Chart.yaml`,
    `\nappVersion: ${version}\n`,
    '\nappVersion: 9.9.9\n',
    'Chart.yaml has the appVersion "9.9.9"',
  ],
  [
    'deploy/install.yaml',
    `/pipewright:${version}\n`,
    '/pipewright:9.9.9\n',
    `does not have the line "image: ghcr.io/pipewright/pipewright:${version}" once`,
  ],
];

test.each(elsewhere)('%s with another than %j is no release', async (file, is, other, why) => {
  const folder = await project();
  const text = await readFile(join(folder, file), 'utf8');
  expect(text.split(is)).toHaveLength(2);
  await writeFile(join(folder, file), text.replace(is, other));
  const { code, stderr } = await release(folder, ['--tag', `v${version}`]);
  expect(stderr).toContain(why);
  expect(stderr).toContain('package.json');
  expect(code).toBe(1);
  // A run that fails leaves no release of before in its place.
  expect(await readdir(join(folder, 'dist'))).toEqual([]);
});

test('a file in the chart that is not in git is named, but for what is no part of a chart', async () => {
  const folder = await project();
  const git = (...args: readonly string[]) => succeed('git', args, { cwd: folder });
  await git('init', '--quiet');
  await git('add', CHART);
  await writeFile(join(folder, CHART, 'templates/own.yaml'), '');
  await writeFile(join(folder, CHART, 'templates/.configmap.yaml.swp'), '');
  const { code, stderr } = await release(folder, []);
  expect(stderr).toMatch(
    /not in git, so nobody .*:\n {2}"deploy\/helm\/pipewright\/templates\/own\.yaml"\nRemove/,
  );
  expect(code).toBe(1);
});
