import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { folderOf } from '../support/folder.ts';

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
