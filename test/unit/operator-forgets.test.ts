import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { parseConfig } from '../../src/config.ts';
import { pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { SECRET } from '../../src/kube/secret-state.ts';
import { createMetrics } from '../../src/metrics.ts';
import { createOperator } from '../../src/operator.ts';
import { runWorkers } from '../../src/runtime/controller.ts';
import { FakeKubeServer } from '../support/fake-kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

/** A management API that says yes to everything. */
async function startApi(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('{"status":200,"requestId":"r","result":{}}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The parts as src/main.ts puts them together, working. `guarded` are the values that are kept out of logs now. */
async function startOperator(kube: FakeKubeServer, apiUrl: string) {
  const parsed = parseConfig({ argv: ['--api-url', apiUrl], env: {}, version: 'test' });
  if (!parsed.ok) throw new Error(parsed.message);
  const guarded = new Set<readonly string[]>();
  const stop = new AbortController();
  const client = createKubeClient(kube.cluster, { clock: systemClock });
  const operator = createOperator({
    config: parsed.config,
    client,
    clock: systemClock,
    log: recordingLog().log,
    metrics: createMetrics(),
    version: 'test',
    instance: 'test',
    mayStartCall: () => true,
    guard: (values) => {
      guarded.add(values);
      return () => void guarded.delete(values);
    },
    signal: stop.signal,
  });
  const working = runWorkers(operator.controller, stop.signal);
  return {
    guarded,
    async end() {
      stop.abort();
      await working;
      operator.pacer.close();
      await Promise.all([operator.api.close(), client.close()]);
    },
  };
}

test('what was made of a Secret goes with the last object that refers to it', async () => {
  const kube = await new FakeKubeServer().start();
  const api = await startApi();
  kube.create(SECRET, 'ns/key', { data: { keyId: btoa('canary-id'), keySecret: btoa('canary-secret') } });
  const { guarded, end } = await startOperator(kube, api.url);
  const spec = { organizationId: 'o', serviceId: 's', credentialsSecretRef: { name: 'key' } };
  const settings = { engine_max_threads: 4 };
  for (const name of ['a', 'b'])
    kube.create(pipeSettingsType, `ns/${name}`, { spec: { ...spec, pipeId: name, settings } });
  await vi.waitFor(() => expect(kube.statusWrites).toHaveLength(2));
  expect(guarded.size).toBe(1);
  const watches = kube.openWatches;
  kube.remove(pipeSettingsType, 'ns/a');
  kube.remove(pipeSettingsType, 'ns/b');
  await vi.waitFor(() => expect(kube.openWatches).toBe(watches - 1));
  expect(guarded.size).toBe(0);
  await end();
  api.close();
  await kube.stop();
});
