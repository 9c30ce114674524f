import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pipewright-main-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** A cluster where nobody listens: the process tries on until something ends it. */
const KUBECONFIG = `
kind: Config
current-context: x
contexts: [{ name: x, context: { cluster: x, user: x } }]
clusters: [{ name: x, cluster: { server: 'https://127.0.0.1:1' } }]
users: [{ name: x, user: { token: t } }]
`;

async function runWith(
  code: string,
): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  await writeFile(join(folder, 'config'), KUBECONFIG);
  await writeFile(join(folder, 'defect.mjs'), code);
  const main = join(import.meta.dirname, '../../src/main.ts');
  const flags = [
    '--api-url=https://api.test',
    `--kubeconfig=${join(folder, 'config')}`,
    '--listen=127.0.0.1:0',
  ];
  const child = execFile(process.execPath, [main, ...flags], {
    env: { NODE_OPTIONS: `--import=${join(folder, 'defect.mjs')}` },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (text: string) => (stdout += text));
  child.stderr?.on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  return { exitCode: child.exitCode, stdout, stderr };
}

const ERROR = `Object.assign(new Error('boom'), { headers: { authorization: 'Basic canary' } })`;
/**
 * Waits for the process's own handler, so that the defect comes after the start however slow the
 * machine is.
 */
const whenStarted = (defect: string): string =>
  `const wait = setInterval(() => { if (process.listenerCount('SIGTERM') > 0) { clearInterval(wait); ${defect} } }, 10);`;

test.each([
  ['unhandledRejection', `Promise.reject(${ERROR});`],
  ['uncaughtException', `throw ${ERROR};`],
])(
  'a defect that nobody catches (%s) ends the process with one line of log and nothing else of the error',
  async (kind, defect) => {
    const { exitCode, stdout, stderr } = await runWith(whenStarted(defect));
    expect(exitCode).toBe(1);
    expect(stdout + stderr).not.toContain('canary');
    const last: unknown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    expect(last).toMatchObject({
      level: 'fatal',
      error: 'boom',
      kind,
      errorStack: expect.any(Array) as unknown,
    });
  },
);
