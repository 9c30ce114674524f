import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { run } from '../../controlplane/run.ts';
import { NODE_FLAGS } from '../../dockerfile.ts';
import { change } from '../../support/cluster.ts';
import { metric, parseExposition } from '../../support/exposition.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { openScene, type Scene } from '../../support/scene.ts';
import { ready, settled } from '../../support/watching.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ start: false });
});
afterAll(() => scene.end());

describe('a process without work ends', () => {
  /** With nothing in its environment but this. */
  const runBare = (flags: readonly string[], env = {}) =>
    run(process.execPath, [...NODE_FLAGS, 'dist/pipewright.js', ...flags], { env, isBare: true });

  test.each([
    ['0 after --help', '--help', 0, 'PIPEWRIGHT_API_URL'],
    ['0 after --version', '--version', 0, '0.1.0'],
    ['2 after wrong flags', '--no-such-flag', 2, 'cannot start: 3 problems with its flags\n'],
  ])('with exit code %s', async (_, flag, code, words) => {
    // A variable of the environment that is wrong, and no --api-url.
    const ended = await runBare([flag], { PIPEWRIGHT_API_TIMEOUT: '1ms' });
    const { stdout, stderr } = ended;
    const [said, silent] = code === 0 ? [stdout, stderr] : [stderr, stdout];
    expect(said).toContain(words);
    expect([ended.code, silent]).toEqual([code, '']);
  });

  test('with exit code 1 without a cluster that it could use, and says why', async () => {
    const flags = ['--api-url=http://127.0.0.1:1', '--kubeconfig=package.json'];
    const { code, stdout } = await runBare([...flags, '--leader-elect=false']);
    expect(code).toBe(1);
    expect(stdout).toContain('of the kubeconfig \\"package.json\\" cannot be used');
  });
});

test('starts where no file can be written, with nothing beside the bundle', async () => {
  const folder = await temporaryFolder();
  const bundle = join(folder, 'pipewright.js');
  await copyFile('dist/pipewright.js', bundle);
  const flags = [
    `--kubeconfig=${scene.kubeconfig}`,
    `--api-url=${scene.simulator.url}`,
    `--namespaces=${scene.namespace}`,
    '--listen=127.0.0.1:0',
    '--leader-elect=false',
  ];
  const args = [...NODE_FLAGS, '--permission', '--allow-fs-read=*', bundle, ...flags];
  const child = spawn(process.execPath, args, { cwd: folder, env: {} });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close');
  await waitFor(() => said, { what: 'it to work', until: (text) => text.includes('"working"') });
  child.kill('SIGTERM');
  expect(await ended, said).toEqual([0, null]);
});

/** Told to end while the call for this object is held; `exited` is the exit code to come. */
async function stoppingDuring(name: string, flags: readonly string[] = []) {
  const operator = await scene.start({ flags });
  scene.simulator.next({ hold: true });
  await scene.psets.create(name);
  await scene.psets.putsUntil(name, 1);
  const exited = operator.stop();
  await operator.waitForLine(({ msg }) => msg.startsWith('stopping'), 'it noticed the signal');
  return { operator, exited };
}

describe('with an operator of its own', () => {
  afterEach(() => scene.operator().kill());

  test('told to end during a call: the call ends, its status is written, no other begins, the exit code is 0', async () => {
    const { exited } = await stoppingDuring('last');
    await scene.psets.create('too-late');
    scene.simulator.release();
    expect(await exited).toBe(0);
    const { status } = await scene.psets.get('last');
    expect(status.conditions[0]).toMatchObject({ type: 'Ready', reason: 'Applied' });
    expect(status.applied?.requestId).toBe(scene.psets.puts('last')[0]?.requestId);
    expect(scene.psets.puts('too-late')).toEqual([]);
    await scene.start();
    await scene.psets.until('too-late', 'Applied');
    await settled(scene);
    expect(scene.psets.puts('last')).toHaveLength(1);
  });

  test('told to end during a call that gets no answer: that ends at --api-timeout, what is known is written, the exit code is 0', async () => {
    const since = performance.now();
    const { operator, exited } = await stoppingDuring('endless', ['--api-timeout=5s']);
    expect(await exited).toBe(0);
    expect(performance.now() - since).toBeLessThan(14_000);
    expect(operator.output()).not.toContain('did not end within the grace period');
    scene.simulator.release();
    expect(ready(await scene.psets.get('endless')).reason).toBe('OutcomeUnknown');
  });

  test('a second signal ends it at once', async () => {
    const { operator, exited } = await stoppingDuring('impatient');
    operator.process.kill('SIGINT');
    expect(await exited).toBe(130);
    scene.simulator.release();
  });

  test('the page of metrics has the figures of what was done, and those of Node', async () => {
    const operator = await scene.start();
    await scene.psets.create('measured');
    await scene.psets.until('measured', 'Applied');
    const page = await waitFor(() => operator.page('metrics'), {
      what: 'the reconcile in the figures',
      until: (text) =>
        metric(text, 'pipewright_reconcile_total', { kind: 'PipeSettings', result: 'put' }) > 0,
    });
    const names = parseExposition(page).map(({ name }) => name);
    expect(names.some((name) => /event_?loop/.test(name))).toBe(true);
    expect(metric(page, 'pipewright_leader')).toBe(1);
    const labels = { kind: 'PipeSettings', namespace: scene.namespace, ready: 'True' };
    expect(metric(page, 'pipewright_resources', { ...labels, reason: 'Applied' })).toBeGreaterThan(
      0,
    );
    const put = { operation: 'UpdatePipeSettings', code: '200' };
    expect(metric(page, 'pipewright_api_requests_total', put)).toBeGreaterThan(0);
  });

  test('with --selector it works on what matches, from when and only as long as it does', async () => {
    const operator = await scene.start({ flags: ['--selector', 'shard=a'] });
    const label = (name: string, shard: string): Promise<void> =>
      change(scene.psets.pathTo(name), (stored) => ({
        ...stored,
        metadata: { ...stored.metadata, labels: { shard } },
      }));
    for (const name of ['mover', 'stayer']) await scene.psets.create(name);
    await label('stayer', 'a');
    await scene.psets.until('stayer', 'Applied');
    expect(ready(await scene.psets.get('mover')).reason).toBe('Pending');
    expect(scene.psets.puts('mover')).toEqual([]);
    await label('mover', 'a');
    await scene.psets.until('mover', 'Applied');
    await label('mover', 'c');
    const known = async () => metric(await operator.page('metrics'), 'pipewright_resources');
    await waitFor(known, { what: 'one to be forgotten', until: (count) => count === 1 });
    await scene.psets.create('mover', { settings: { engine_max_threads: 3 } });
    await scene.psets.create('stayer', { settings: { engine_max_threads: 3 } });
    await scene.psets.until('stayer', 'Applied');
    expect(scene.psets.puts('mover')).toHaveLength(1);
  });

  test('with --secret-selector no other Secret is used, whoever names it, until it is labelled', async () => {
    await scene.start({ flags: ['--secret-selector', 'pipewright.dev/credentials=true'] });
    const label = (name: string): Promise<void> =>
      change(`/api/v1/namespaces/${scene.namespace}/secrets/${name}`, (stored) => ({
        ...stored,
        metadata: { ...stored.metadata, labels: { 'pipewright.dev/credentials': 'true' } },
      }));
    await label('management-api');
    const pair = await scene.newKey('database-password');
    await scene.psets.create('sly', { credentialsSecretRef: { name: 'database-password' } });
    const refused = await scene.psets.until('sly', 'SecretForbidden');
    expect(ready(refused).message).toContain(
      '--secret-selector requires: pipewright.dev/credentials=true',
    );
    await settled(scene);
    expect(scene.simulator.callCount({ keyId: pair.id })).toBe(0);
    await label('database-password');
    await scene.psets.until('sly', 'Applied');
    expect(scene.simulator.callCount({ keyId: pair.id })).toBe(1);
  });
});
