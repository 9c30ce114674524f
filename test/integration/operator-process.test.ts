import { readFileSync } from 'node:fs';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { newNamespace, waitFor } from '../controlplane/client.ts';
import { startBare } from '../support/bare-process.ts';
import { asAdmin, change, type Stored } from '../support/cluster.ts';
import { metric, parseExposition } from '../support/exposition.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';
import { openScene, type Scene } from '../support/scene.ts';
import { ORGANIZATION, SERVICE } from '../support/scene-objects.ts';
import { ready } from '../support/watching.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await openScene({ start: false });
});
afterAll(() => scene.end());

async function start(flags: readonly string[], until?: string): Promise<RunningOperator> {
  const { kubeconfig, simulator } = scene;
  const options = { kubeconfig, apiUrl: simulator.url, flags: ['--api-rate', '0', ...flags] };
  const operator = await startOperator({ ...options, ...(until !== undefined && { until }) });
  onTestFinished(async () => {
    if (operator.process.exitCode === null && operator.process.signalCode === null)
      await operator.kill();
  });
  return operator;
}

test('wrong flags end the start with exit code 2 and one message that lists every one of them', async () => {
  const { exited, stdout, stderr } = startBare(
    [
      '--api-rate',
      '10',
      '--api-in-flight=0',
      '--log-level=loud',
      '--no-such-flag',
      '--api-url=ftp://x',
      '--selector=a=(',
    ],
    { env: { PIPEWRIGHT_API_TIMEOUT: '1ms', PIPEWRIGHT_API_URK: 'x' } },
  );
  expect(await exited).toBe(2);
  expect(stdout()).toBe('');
  const wrong = [
    '--api-rate',
    '--api-in-flight',
    '--log-level',
    '--no-such-flag',
    '--api-url',
    '--selector',
  ];
  for (const flag of [...wrong, 'PIPEWRIGHT_API_TIMEOUT', 'PIPEWRIGHT_API_URK'])
    expect(stderr()).toContain(flag);
  expect(stderr()).toMatch(/^pipewright cannot start: 8 problems with its flags\n/);
});

test('starts where no file can be written, with nothing beside the bundle', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-alone-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const bundle = join(folder, 'pipewright.js');
  await copyFile('dist/pipewright.js', bundle);
  const flags = [
    '--kubeconfig',
    scene.kubeconfig,
    '--api-url',
    scene.simulator.url,
    '--namespaces',
    scene.namespace,
  ];
  const running = startBare([...flags, '--listen', '127.0.0.1:0', '--leader-elect=false'], {
    bundle,
    cwd: folder,
    nodeFlags: ['--permission', '--allow-fs-read=*'],
  });
  onTestFinished(() => void running.process.kill('SIGKILL'));
  await waitFor(() => `${running.stdout()}${running.stderr()}`, {
    what: 'it to work',
    until: (text) => text.includes('"working"') || running.process.exitCode !== null,
  });
  running.process.kill('SIGTERM');
  expect(await running.exited, `${running.stdout()}${running.stderr()}`).toBe(0);
});

test('the page of metrics has every figure that the guide names, and of its type', async () => {
  const operator = await start(['--namespaces', scene.namespace, '--leader-elect=false']);
  await scene.psets.create('measured');
  await scene.psets.until('measured', 'Applied');
  const page = await waitFor(() => operator.page('metrics'), {
    what: 'the pass in the figures',
    until: (text) =>
      metric(text, 'pipewright_reconcile_total', { kind: 'PipeSettings', result: 'put' }) === 1,
  });
  const served = parseExposition(page).map(({ name, type }) => ({ name, type }));
  const guide = readFileSync('deploy/guides/metrics.md', 'utf8');
  const rows = [...guide.matchAll(/^\| `(\w+)` \| (\w+) \| .{10,} \|$/gm)];
  expect(rows).toHaveLength(11);
  expect(served).toEqual(expect.arrayContaining(rows.map(([, name, type]) => ({ name, type }))));
  const names = served.map(({ name }) => name);
  expect(names.filter((name) => /event_?loop/.test(name)).length).toBeGreaterThan(0);
  expect(metric(page, 'pipewright_leader')).toBe(1);
  expect(
    metric(page, 'pipewright_api_requests_total', { operation: 'UpdatePipeSettings', code: '200' }),
  ).toBe(1);
  const labels = {
    kind: 'PipeSettings',
    namespace: scene.namespace,
    ready: 'True',
    reason: 'Applied',
  };
  expect(metric(page, 'pipewright_resources', labels)).toBe(1);
  expect(page).not.toContain(scene.key.secret);
});

test('a namespace that is missing or forbidden is told of, and does not hold up the others', async () => {
  const forbidden = await newNamespace();
  const absent = `${forbidden}-absent`;
  const operator = await start([
    '--namespaces',
    [absent, scene.namespace, forbidden].join(','),
    '--leader-elect=false',
  ]);
  expect(await operator.page('readyz')).toBe('ok\n');
  for (const namespace of [absent, forbidden]) {
    const line = await operator.waitForLine(
      ({ level, path }) =>
        level === 'warn' && String(path).endsWith(`/namespaces/${namespace}/pipesettings`),
      `it told of ${namespace}`,
    );
    expect(String(line['error'])).toContain('cannot list resource "pipesettings"');
  }
  await scene.psets.create('in-good-hands');
  await scene.psets.until('in-good-hands', 'Applied');
});

function object(name: string, labels: Readonly<Record<string, string>> = {}): object {
  return {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: 'PipeSettings',
    metadata: { name, labels },
    spec: {
      organizationId: ORGANIZATION,
      serviceId: SERVICE,
      pipeId: name,
      credentialsSecretRef: { name: 'management-api' },
      settings: { engine_max_threads: 8 },
    },
  };
}

test('a shard works on what its selector matches, from when it matches and only as long as it does', async () => {
  const operator = await start([
    '--namespaces',
    scene.namespace,
    '--leader-elect=false',
    '--selector',
    'shard=a',
  ]);
  const psets = `/apis/pipewright.dev/v1alpha1/namespaces/${scene.namespace}/pipesettings`;
  const label = (name: string, shard: string): Promise<void> =>
    change(`${psets}/${name}`, (stored: Stored) => ({
      ...stored,
      metadata: { ...stored.metadata, labels: { shard } },
    }));
  await asAdmin('POST', psets, object('of-b', { shard: 'b' }));
  await asAdmin('POST', psets, object('of-a', { shard: 'a' }));
  await scene.psets.until('of-a', 'Applied');
  expect(ready(await scene.psets.get('of-b')).reason).toBe('Pending');
  expect(scene.psets.puts('of-b')).toEqual([]);
  await label('of-b', 'a');
  await scene.psets.until('of-b', 'Applied');
  await label('of-b', 'c');
  await waitFor(() => operator.page('metrics'), {
    what: 'the object to be forgotten',
    until: (page) => metric(page, 'pipewright_resources') === 1,
  });
  await scene.psets.create('of-b', { settings: { engine_max_threads: 3 } });
  await scene.psets.create('of-a', { settings: { engine_max_threads: 3 } });
  await scene.psets.until('of-a', 'Applied');
  expect(scene.psets.puts('of-b')).toHaveLength(1);
});
