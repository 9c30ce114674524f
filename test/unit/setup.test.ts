import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

/**
 * A project with nothing but the script, a lock file and an npm that installs what the lock file
 * says.
 */
let project: string;

const lock = (version: string) =>
  JSON.stringify({ packages: { '': {}, 'node_modules/one': { version } } });

const npm = `
const fs = require('node:fs');
console.log('npm ' + process.argv.slice(2).join(' '));
if (process.env.NPM_FAILS) process.exit(5);
fs.mkdirSync('node_modules/.bin', { recursive: true });
fs.rmSync('node_modules/.bin/node', { force: true });
fs.symlinkSync(process.execPath, 'node_modules/.bin/node');
fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');
`;

beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'pipewright-setup-'));
  await mkdir(join(project, 'test'));
  await copyFile(join(import.meta.dirname, '..', 'setup.mjs'), join(project, 'test', 'setup.mjs'));
  await writeFile(join(project, 'npm.cjs'), npm);
  await writeFile(join(project, 'package-lock.json'), lock('1.0.0'));
});

afterEach(() => rm(project, { recursive: true }));

test('installs first, then runs what it is given', async () => {
  const { code, stdout, stderr } = await setup(['-p', '6 * 7']);
  expect(stderr).toContain('npm ci --include=dev');
  expect(stdout).toBe('42\n');
  expect(code).toBe(0);
});

test('installs nothing twice', async () => {
  await setup([]);
  const { stderr } = await setup(['-p', '6 * 7']);
  expect(stderr).toBe('');
});

test('installs again when the lock file names another version', async () => {
  await setup([]);
  await writeFile(join(project, 'package-lock.json'), lock('1.0.1'));
  expect((await setup([])).stderr).toContain('npm ci');
});

test('installs again after an installation that was cut short', async () => {
  await mkdir(join(project, 'node_modules', '.bin'), { recursive: true });
  await symlink(process.execPath, join(project, 'node_modules', '.bin', 'node'));
  expect((await setup([])).stderr).toContain('npm ci');
});

test('runs nothing when npm fails', async () => {
  const { code, stdout, stderr } = await setup(['-p', '6 * 7'], { NPM_FAILS: 'yes' });
  expect(stderr).toContain('ended with code 5');
  expect(stdout).toBe('');
  expect(code).toBe(1);
});

test('ends with the exit code of what it ran', async () => {
  expect((await setup(['-e', 'process.exit(3)'])).code).toBe(3);
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  'hands %s on and waits for the end',
  async (signal) => {
    const waits = `process.once('${signal}', () => { console.log('tidied'); process.exit(9); }); console.log('ready'); setInterval(() => {}, 1e6)`;
    const { child, ended, stdout } = start(['-e', waits]);
    await expect.poll(stdout).toContain('ready');
    child.kill(signal);
    expect(await ended).toBe(9);
    expect(stdout()).toContain('tidied');
  },
);

test('stops what it runs when npm and its shell are gone', async () => {
  const waits = `console.log(process.pid); setInterval(() => {}, 1e6)`;
  const script = join(project, 'test', 'setup.mjs');
  const shell = execFile(
    '/bin/sh',
    ['-c', `"${process.execPath}" "${script}" -e "${waits}"; true`],
    {
      env: { ...environment(), npm_lifecycle_event: 'demo' },
    },
  );
  let text = '';
  shell.stdout?.on('data', (chunk: string) => {
    text += chunk;
  });
  await expect.poll(() => text).toMatch(/^\d+\n/);
  shell.kill('SIGKILL');
  await expect.poll(() => isRunning(Number(text))).toBe(false);
});

function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, npm_execpath: join(project, 'npm.cjs') };
}

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const script = join(project, 'test', 'setup.mjs');
  const child = execFile(process.execPath, [script, ...args], {
    env: { ...environment(), ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number);
  return { child, ended, stdout: () => stdout, stderr: () => stderr };
}

async function setup(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { ended, stdout, stderr } = start(args, env);
  return { code: await ended, stdout: stdout(), stderr: stderr() };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
