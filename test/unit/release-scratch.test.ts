import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { writeWhole } from '../release/whole-folder.ts';
import { temporaryFolder } from '../support/folder.ts';

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s while the bundles are compiled in the files of the image ends that, and leaves none of them',
  async (signal) => {
    const folder = await temporaryFolder();
    const temp = join(folder, 'temp');
    const programs = join(folder, 'programs');
    const pid = join(folder, 'pid');
    await mkdir(temp);
    await mkdir(programs);
    for (const name of ['chroot', 'unshare']) {
      const script = `#!/bin/sh\necho $$ > '${pid}.new'\nmv '${pid}.new' '${pid}'\nexec sleep 100\n`;
      await writeFile(join(programs, name), script);
      await chmod(join(programs, name), 0o755);
    }
    const module = resolve('test/release/image/compile-cache.ts');
    const child = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { compileCache } from ${JSON.stringify(module)}; await compileCache([{ path: 'app', mode: 0o755 }]);`,
      ],
      {
        env: { PATH: programs + delimiter + process.env['PATH'], TMPDIR: temp },
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    );
    const ended = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    const entered = Number(await vi.waitFor(() => readFile(pid, 'utf8'), { timeout: 30_000 }));
    onTestFinished(() => void process.kill(entered, 'SIGKILL'));
    expect(await readdir(temp)).toEqual([expect.stringMatching(/^pipewright-root-/)]);
    child.kill(signal);
    expect(await ended).toEqual([null, signal]);
    expect(await readdir(temp)).toEqual([]);
  },
);

test('a folder is there with all of its files, readable by others, or not at all', async () => {
  const folder = await temporaryFolder();
  const release = join(folder, 'dist', 'release');
  const good = new Map([['a', Buffer.from('1')]]);
  const bad = new Map([...good, ['no/such/folder', Buffer.from('2')]]);
  await expect(writeWhole(release, bad)).rejects.toThrow('ENOENT');
  expect(await readdir(join(folder, 'dist'))).toEqual([]);
  await writeWhole(release, good);
  expect(await readdir(join(folder, 'dist'), { recursive: true })).toEqual([
    'release',
    'release/a',
  ]);
  expect((await stat(release)).mode & 0o777).toBe(0o777 & ~process.umask());
});
