import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { parseConfig } from '../../src/config/config.ts';
import { type ReconcileRecord, runWorkers } from '../../src/controller/controller.ts';
import { pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts';
import type { ResourceType } from '../../src/kube/resource.ts';
import { createOperator, type Operator } from '../../src/operator.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { eventually } from '../support/eventually.ts';
import { FakeKubeServer, isStatusWrite } from '../support/fake-kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

const SECRET: ResourceType = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };
const KEY = 'ingest/orders';

let kube: FakeKubeServer;
let client: KubeClient;
let api: Server;
let puts: { streaming_max_insert_wait_ms?: number }[];
let operator: Operator;
let stop: AbortController;
let working: Promise<void>;
let passes: ReconcileRecord[];

beforeEach(async () => {
  kube = await new FakeKubeServer().start();
  client = createKubeClient(kube.cluster);
  puts = [];
  passes = [];
  stop = new AbortController();
  api = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const settings = JSON.parse(text) as (typeof puts)[number];
      puts.push(settings);
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ status: 200, result: settings }));
    });
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const data = { keyId: btoa('id'), keySecret: btoa('a-secret-value') };
  kube.create(SECRET, 'ingest/management-api', { type: 'Opaque', data });
});

afterEach(async () => {
  stop.abort();
  await working;
  operator.limiter.close();
  await Promise.all([operator.api.close(), client.close()]);
  api.closeAllConnections();
  await new Promise((resolve) => api.close(resolve));
  await kube.stop();
});

async function start(): Promise<void> {
  const { port } = api.address() as AddressInfo;
  const parsed = parseConfig({
    argv: ['--api-url', `http://127.0.0.1:${port}`],
    env: {},
    version: 'test',
  });
  if (!parsed.ok) throw new Error(parsed.message);
  operator = createOperator({
    config: parsed.config,
    client,
    clock: systemClock,
    log: recordingLog().log,
    metrics: createMetrics(),
    version: 'test',
    instance: 'test',
    mayStartCall: () => true,
    guard: () => () => {},
    signal: stop.signal,
  });
  await operator.informers.synced;
  await eventually(() => expect(kube.openWatches).toBeGreaterThan(0));
  working = runWorkers(
    { ...operator.controller, onReconcile: (pass) => void passes.push(pass) },
    stop.signal,
  );
}

function aSpec(wait: number): object {
  return {
    organizationId: 'org',
    serviceId: 'service',
    pipeId: 'pipe',
    credentialsSecretRef: { name: 'management-api' },
    settings: { streaming_max_insert_wait_ms: wait },
  };
}

function observedGeneration(): unknown {
  return (kube.get(pipeSettingsType, KEY)?.status as { observedGeneration?: number } | undefined)
    ?.observedGeneration;
}

/**
 * Everything that was under way has come to rest: a fence through the same watch has been heard of.
 */
async function rest(): Promise<void> {
  const fence = `ingest/fence-${passes.length}`;
  kube.create(pipeSettingsType, fence, {
    spec: { ...aSpec(5_000), pipeId: fence.replace('/', '-'), suspend: true },
  });
  await eventually(() => expect(kube.get(pipeSettingsType, fence)?.status).toBeDefined());
  await eventually(() =>
    expect(operator.queue.depth + operator.queue.runningSince().length).toBe(0),
  );
}

function did(): string[] {
  return passes.map(({ result }) => result).filter((result) => result !== 'suspend');
}

describe('our own status write', () => {
  test('wakes nobody: one new object is one call, one write and one pass', async () => {
    kube.create(pipeSettingsType, KEY, { spec: aSpec(5_000) });
    kube.holdWatches();
    await start();
    await eventually(() => expect(observedGeneration()).toBe(1));
    await eventually(() => expect(passes).toHaveLength(1));
    kube.releaseWatches();
    await rest();
    expect(did()).toEqual(['put']);
    expect(puts).toHaveLength(1);
  });

  test('heard of before its answer brings at most a look that does nothing', async () => {
    kube.create(pipeSettingsType, KEY, { spec: aSpec(5_000) });
    await start();
    await eventually(() => expect(observedGeneration()).toBe(1));
    await rest();
    expect(did()[0]).toBe('put');
    expect(
      did()
        .slice(1)
        .every((result) => result === 'nothing'),
    ).toBe(true);
    expect(puts).toHaveLength(1);
    expect(kube.statusWrites.filter(({ metadata }) => metadata.name === 'orders')).toHaveLength(1);
  });

  test('that meets an edit at its 409 does not swallow the edit, though the watch tells of it too late', async () => {
    kube.create(pipeSettingsType, KEY, { spec: aSpec(5_000) });
    let edited = false;
    kube.fate = (call) => {
      if (!isStatusWrite(call) || edited) return undefined;
      edited = true;
      kube.edit(pipeSettingsType, KEY, { spec: aSpec(7_000) });
      return undefined;
    };
    kube.holdWatches();
    await start();
    await eventually(() => expect(observedGeneration()).toBe(2));
    kube.releaseWatches();
    await rest();
    expect(puts.map((settings) => settings.streaming_max_insert_wait_ms)).toEqual([5_000, 7_000]);
  });

  test('does not swallow an edit that lands between the write and its event', async () => {
    kube.create(pipeSettingsType, KEY, { spec: aSpec(5_000) });
    kube.holdWatches();
    await start();
    await eventually(() => expect(observedGeneration()).toBe(1));
    kube.edit(pipeSettingsType, KEY, { spec: aSpec(7_000) });
    kube.releaseWatches();
    await eventually(() => expect(observedGeneration()).toBe(2));
    await rest();
    expect(puts).toHaveLength(2);
  });
});
