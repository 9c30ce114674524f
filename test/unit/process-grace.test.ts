import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseConfig } from '../../src/config/config.ts';
import { pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { LEASE, type Lease } from '../../src/kube/lease.ts';
import { SECRET } from '../../src/kube/secrets.ts';
import { runProcess } from '../../src/process.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { eventually } from '../support/eventually.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { FakeKubeServer } from '../support/fake-kube-server.ts';
import { recordingLog } from '../support/recording-log.ts';

let kube: FakeKubeServer;
let api: Server;
/** Calls that the management API has, and never answers. */
let calls = 0;

beforeEach(async () => {
  calls = 0;
  kube = await new FakeKubeServer().start();
  api = createServer(() => (calls += 1));
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  api.closeAllConnections();
  api.close();
  await kube.stop();
});

const FLAGS = ['--leader-elect=true', '--leader-elect-namespace=pw', '--api-timeout=5s'];

function start() {
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const parsed = parseConfig({ argv: ['--api-url', url, ...FLAGS], env: {}, version: 'test' });
  if (!parsed.ok) throw new Error(parsed.message);
  const clock = new FakeClock();
  const stop = new AbortController();
  const { log, messages } = recordingLog();
  const state = { ended: false };
  const running = runProcess({
    config: parsed.config,
    cluster: kube.cluster,
    clock,
    log,
    metrics: createMetrics(),
    version: 'test',
    identity: 'us',
    guard: () => () => undefined,
    startServer: () => Promise.resolve({ port: 1, close: () => Promise.resolve() }),
    stop: stop.signal,
  }).then(() => (state.ended = true));
  return { clock, stop, messages, state, running };
}

const leaseHolder = (): unknown =>
  (kube.get(LEASE, 'pw/pipewright') as Lease | undefined)?.spec?.holderIdentity;

/** Lets time go by in steps so small that the Lease is renewed in each. */
async function live(clock: FakeClock, seconds: number): Promise<void> {
  const writes = (): number =>
    kube.calls.filter(({ method, path }) => method === 'PUT' && path.includes('/leases/')).length;
  for (let second = 0; second < seconds; second += 2) {
    const before = writes();
    await clock.advance(2_000);
    await eventually(async () => {
      // The answer to the one before may have come only now.
      await clock.advance(0);
      expect(writes()).toBeGreaterThan(before);
    });
  }
}

function anObject(): void {
  kube.create(SECRET, 'ns/key', { data: { keyId: btoa('id'), keySecret: btoa('secret') } });
  kube.create(pipeSettingsType, 'ns/a', {
    spec: {
      organizationId: 'o',
      serviceId: 's',
      pipeId: 'p',
      credentialsSecretRef: { name: 'key' },
      settings: { engine_max_threads: 4 },
    },
  });
}

test('a call in flight is let end: its outcome is written and told, the Lease is released, the process ends', async () => {
  anObject();
  const told = Promise.withResolvers<void>();
  kube.fate = async ({ path }) => {
    if (path.endsWith('/events')) await told.promise;
    return undefined;
  };
  const { clock, stop, messages, state, running } = start();
  await eventually(() => expect(calls).toBe(1));
  expect(leaseHolder()).toBe('us');
  stop.abort();
  await live(clock, 4);
  expect(state.ended).toBe(false);
  await clock.advance(2_000);
  await eventually(() => expect(leaseHolder()).toBe(''));
  // Whoever does not wait for the event has ended by the time another request has gone all the way.
  await fetch(new URL('/livez', kube.cluster.server));
  expect(state.ended).toBe(false);
  told.resolve();
  await running;
  expect(messages.join('\n')).not.toContain('a reconcile did not end within the grace period');
  expect(messages.join('\n')).not.toContain('event dropped');
  expect(kube.statusWrites).toHaveLength(1);
  expect(kube.get(pipeSettingsType, 'ns/a')?.status).toMatchObject({
    lastRequest: { operation: 'UpdatePipeSettings', outcome: 'Unknown' },
  });
  expect(leaseHolder()).toBe('');
});

test('a result that cannot be written either holds nobody up: the Lease is released and the process ends', async () => {
  anObject();
  kube.fate = async ({ path }) =>
    path.endsWith('/status') ? new Promise(() => undefined) : undefined;
  const { clock, stop, state, running } = start();
  await eventually(() => expect(calls).toBe(1));
  stop.abort();
  await live(clock, 6);
  await eventually(() => expect(kube.statusWrites).toHaveLength(1));
  await live(clock, 4);
  expect(state.ended).toBe(false);
  await live(clock, 4);
  await running;
  expect(leaseHolder()).toBe('');
});

test('a process without a running pass ends at once, and says nothing of its grace', async () => {
  const { clock, stop, messages, running } = start();
  await eventually(() => expect(leaseHolder()).toBe('us'));
  stop.abort();
  await running;
  await clock.advance(60_000);
  expect(messages.join('\n')).not.toContain('a reconcile did not end within the grace period');
  expect(leaseHolder()).toBe('');
});
