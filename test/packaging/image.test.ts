import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { waitFor } from '../controlplane/client.ts';
import { succeed } from '../controlplane/run.ts';
import { ENTRYPOINT, IMAGE_ENV, INSTRUCTIONS, textsOf } from '../dockerfile.ts';
import { openScene } from '../support/scene.ts';

const NODE = '/usr/local/bin/node';
const USER = 65_532;
const PATH = [dirname(process.execPath), process.env['PATH']].join(delimiter);

/** Holds a folder for each stage, as its root; the last one is the image. */
let folder: string;
let root: string;

/** There is no container engine here: these are its steps, with the project's own Node and npm. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipewright-image-'));
  await chmod(folder, 0o755);
  let workdir = '';
  for (const { name, text } of INSTRUCTIONS) {
    if (name === 'FROM') {
      root = join(folder, / AS (\w+)$/.exec(text)?.[1] ?? 'image');
      await mkdir(join(root, dirname(NODE)), { recursive: true });
      if (text.includes('NODE_IMAGE')) await copyFile(process.execPath, join(root, NODE));
    }
    if (name === 'WORKDIR') workdir = join(root, text);
    if (name === 'RUN') await succeed('sh', ['-e', '-c', text], { cwd: workdir, env: { PATH } });
    if (name === 'COPY') await copyStep(text, workdir);
  }
});
afterAll(() => rm(folder, { recursive: true }));

async function copyStep(text: string, workdir: string): Promise<void> {
  const [, stage] = /^--from=(\w+) /.exec(text) ?? [];
  const paths = text.replace(/^--\S+ /, '').split(' ');
  const given = paths.pop() ?? '';
  const to = join(given.startsWith('/') ? root : workdir, given);
  for (const path of paths) {
    const source = join(stage === undefined ? '.' : join(folder, stage), path);
    // Of a folder its content is copied; a file goes into a target that ends as a folder.
    const isInto = given.endsWith('/') && (await stat(source)).isFile();
    await cp(source, isInto ? join(to, basename(source)) : to, { recursive: true });
  }
}

/** As the container's user, where this one may become it. */
function start(...flags: readonly string[]) {
  const inRoot = (word: string): string => (word.startsWith('/') ? join(root, word) : word);
  const [program = '', ...args] = ENTRYPOINT.map(inRoot);
  const user = process.getuid?.() === 0 ? { uid: USER, gid: USER } : {};
  const child = spawn(program, [...args, ...flags], { cwd: '/', env: IMAGE_ENV, ...user });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { child, said: () => said, ended: once(child, 'close') };
}

test('it is built with the Node that everything is tested with, from bases named by digest', () => {
  const bases = textsOf('ARG').filter((text) => text.includes('_IMAGE='));
  expect(bases).toHaveLength(2);
  for (const base of bases) expect(base).toMatch(/@sha256:[0-9a-f]{64}$/);
  expect(bases[0]).toContain(`/node:${packageJson.devDependencies.node}-bookworm-slim@`);
  expect(textsOf('ARG')).toContain(`VERSION=${packageJson.version}`);
  expect(textsOf('USER')).toEqual([`${USER}:${USER}`]);
});

test('what it takes from the project, and nothing else, is let in by .dockerignore', async () => {
  const [everything, ...letIn] = (await readFile('.dockerignore', 'utf8')).trim().split('\n');
  const taken = textsOf('COPY').filter((text) => !text.startsWith('--from'));
  const paths = taken.flatMap((text) => text.split(' ').slice(0, -1));
  expect([everything, ...letIn.sort()]).toEqual(['*', ...paths.map((path) => `!${path}`).sort()]);
});

test('it holds Node, the operator and the licences, and says its version', async () => {
  const found = await readdir(root, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map(({ name }) => name);
  expect(files.sort()).toEqual(['THIRD-PARTY-NOTICES', 'node', 'pipewright.js']);
  const { said, ended } = start('--version');
  expect(await ended).toEqual([0, null]);
  expect(said()).toBe(`pipewright ${packageJson.version}\n`);
});

test('it becomes ready, and ends on SIGTERM', async () => {
  const scene = await openScene({ start: false });
  onTestFinished(() => scene.end());
  const kubeconfig = join(folder, 'kubeconfig');
  await copyFile(scene.kubeconfig, kubeconfig);
  await chmod(kubeconfig, 0o644);
  const at = [`--kubeconfig=${kubeconfig}`, `--namespaces=${scene.namespace}`];
  const flags = ['--api-url=https://api.test', '--listen=127.0.0.1:0', '--leader-elect=false'];
  const { child, said, ended } = start(...at, ...flags);
  const ready = async (): Promise<number> =>
    (await fetch(`http://127.0.0.1:${/"port":(\d+)/.exec(said())?.[1]}/readyz`)).status;
  await waitFor(ready, { what: '/readyz', until: (status) => status === 200 });
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
