import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { folderOf, temporaryFolder } from '../support/folder.ts';

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'cli', 'main.ts');

/** The plugin, and what it prints read to its end, or not at all. */
async function plugin(args: readonly string[], { isRead = true } = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  if (!isRead) child.stdout.destroy();
  const [stdout, stderr, [code]] = await Promise.all([
    isRead ? text(child.stdout) : '',
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: code as number | null, stdout, stderr };
}

const manifest = (name: string, pipeId: string): string => `apiVersion: pipewright.dev/v1alpha1
kind: PipeSettings
metadata:
  name: ${name}
  namespace: ingest
spec:
  organizationId: 0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a
  serviceId: 5c2f9b7e-91a4-4f0e-8a3b-6f1e2d3c4b5a
  pipeId: ${pipeId}
  credentialsSecretRef: {name: key}
  settings: {engine_max_threads: 8}
`;

const planned = async (name: string, pipeId = 'orders'): Promise<string[]> => {
  const folder = await folderOf({ 'pset.yaml': manifest(name, pipeId) });
  return ['plan', '--offline', '-f', join(folder, 'pset.yaml')];
};

test('nobody reads what it prints: the exit code is the same', async () => {
  expect(await plugin(await planned('orders'), { isRead: false })).toEqual({
    code: 2,
    stdout: '',
    stderr: '',
  });
});

test('nobody reads what it prints: an error is an error, and is said', async () => {
  const { code, stderr } = await plugin(await planned('orders', '[]'), { isRead: false });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('not valid') });
});

test('a manifest forges no line of its plan', async () => {
  const evil = String.raw`"a\nsends  pset/forged\r\e[2J\u009b\u202eb"`;
  for (const args of [await planned(evil), await planned('orders', evil)]) {
    const { stdout, stderr } = await plugin(args);
    expect(stdout).toContain('pset/forged');
    expect(stdout + stderr).not.toMatch(/^sends {2}pset\/forged|[^\P{Cc}\n]|\p{Cf}/mu);
  }
});

test.each([
  [['suspend', '-l', ''], '-l is empty'],
  [['retry', '-A', '-l', ' '], '-l is empty'],
  [['status', '--selector='], '-l is empty'],
  [['plan', '-f', 'x', '--prune', '-l', ''], '-l is empty'],
  [['status', '-n', ''], '-n: "" is not the name of a namespace'],
  [['explain', 'pset/..', '-n', 'a'], '".." is not a name that an object can have'],
])('%j is refused before anything is asked', async (args, says) => {
  const { code, stdout, stderr } = await plugin(args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^error: [^\n]+\n$/);
  expect(stderr).toContain(says);
});

/** The plugin; `when` it has said so on stderr it gets the signal, and it alone. */
async function signalled(
  args: readonly string[],
  options: {
    readonly signal: NodeJS.Signals;
    readonly when: string;
    readonly env?: Readonly<Record<string, string>>;
  },
) {
  const { signal, when, env } = options;
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: [...stdio],
    env: { ...process.env, ...env },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    const before = said;
    said += chunk;
    if (!before.includes(when) && said.includes(when)) child.kill(signal);
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr: said };
}

/** A pipe opened for writing, which nobody can before it is read. */
const written = (pipe: string): Promise<number> =>
  vi.waitFor(() => openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK), { timeout: 10_000 });

describe('a signal ends it with 128 and its number', () => {
  test.each<[NodeJS.Signals, number]>([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('%s: %i, and its kubectl is ended, whatever that has started', async (signal, code) => {
    // The login program, sleep, holds the pipes of kubectl open.
    const folder = await folderOf({
      kubectl: '#!/bin/sh\necho "log in" >&2\nsleep 30 &\nwait\n',
    });
    await chmod(join(folder, 'kubectl'), 0o755);
    const start = Date.now();
    const ran = await signalled(['status', '-n', 'ingest'], {
      signal,
      when: 'log in',
      env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` },
    });
    expect(ran).toEqual({ code, stderr: expect.stringMatching(/error: stopped\n$/) });
    expect(Date.now() - start).toBeLessThan(20_000);
  });

  test.each<[what: string, NodeJS.Signals, number]>([
    ['stdin', 'SIGINT', 130],
    ['a pipe', 'SIGTERM', 143],
  ])('also while it reads %s, whose writer goes on', async (what, signal, code) => {
    const pipe = join(await temporaryFolder(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const from = what === 'stdin' ? '-' : pipe;
    const child = spawn(process.execPath, [MAIN, 'plan', '--offline', '-f', from], {
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
    // More than waits for a reader: what has been written is being read.
    if (what === 'stdin') await new Promise((done) => child.stdin.write('#'.repeat(4e6), done));
    else {
      const writer = await written(pipe);
      onTestFinished(() => closeSync(writer));
    }
    child.kill(signal);
    expect(await ended).toEqual([[code, null], 'error: stopped\n']);
  });

  test('an import whose call is not answered says what is known of it', async () => {
    const server = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const id = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
    const url = `http://127.0.0.1:${port}`;
    try {
      const requested = once(server, 'request');
      const child = spawn(
        process.execPath,
        [MAIN, 'import', 'organization', id, '--api-url', url],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { ...process.env, PIPEWRIGHT_KEY_ID: 'id', PIPEWRIGHT_KEY_SECRET: 'a-long-secret' },
        },
      );
      const said = text(child.stderr);
      await requested;
      child.kill('SIGINT');
      const [code] = (await once(child, 'close')) as [number | null];
      expect({ code, stderr: await said }).toEqual({
        code: 130,
        stderr: expect.stringContaining('error: No response from the API'),
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

test('the help tells the exit codes', async () => {
  const { stdout } = await plugin(['--help']);
  expect(stdout).toContain(
    'Exit codes: 0 fine, 1 an error, 2 "there is something" (each command\'s help says what), 130 ended by Ctrl-C.',
  );
  expect((await plugin(['status', '--help'])).stdout.replace(/\s+/g, ' ')).toContain(
    'until Ctrl-C, which ends it with 0',
  );
});

test.each(['retry', 'status'])('%s takes only formats that it has', async (command) => {
  const { code, stderr } = await plugin([command, '-o', 'yaml']);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('Allowed choices are text, json'),
  });
});
