import { cp, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { type Ran, run } from '../packaging/run.ts';
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

test('a run that fails leaves no release of before in its place', async () => {
  const folder = await project();
  const { code, stderr } = await release(folder, ['--tag', 'v9.9.9']);
  expect(stderr).toContain('the tag is "v9.9.9"');
  expect(code).toBe(1);
  expect(await readdir(join(folder, 'dist'))).toEqual([]);
});
