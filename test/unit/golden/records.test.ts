import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createApiClient } from '../../../src/api/http/client.ts';
import { systemClock } from '../../../src/clock.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { FINALIZER, organizationType } from '../../../src/kinds/organization/resource.ts';
import {
  canonicalJson,
  digestOf,
  timestamp,
  wholeSecond,
} from '../../../src/kinds/status/canonical.ts';
import { requestedAt } from '../../../src/kinds/status/common-status.ts';
import { createFinalizerWriter } from '../../../src/kube/client/finalizers.ts';
import { eventBody } from '../../../src/kube/events/event-body.ts';
import { claimed, type Lease, released } from '../../../src/kube/lease/lease-record.ts';
import { microTime } from '../../../src/kube/resource.ts';
import { runProcess } from '../../../src/process.ts';
import { createMetrics } from '../../../src/telemetry/metrics.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { MemoryKube } from '../../support/memory-kube.ts';
import { aPipeSettings } from '../../support/objects.ts';
import { recordingLog } from '../../support/recording-log.ts';

/** What else the operator writes into a cluster, field by field. */

const NOW = Date.parse('2026-03-01T12:00:00.123Z');

describe('text that hashes are made of', () => {
  test.each([
    [{ b: 1, a: { d: [3, 2], c: null } }, '{"a":{"c":null,"d":[3,2]},"b":1}'],
    [{ B: 1, a: 2, A: 3, _: 4, 1: 5, é: 6 }, '{"1":5,"A":3,"B":1,"_":4,"a":2,"é":6}'],
    [{ gone: undefined, kept: [undefined, 0, -0] }, '{"kept":[null,0,0]}'],
    [[1e21, 1e-7, 0.1, 53_687_091_200, true, false], '[1e+21,1e-7,0.1,53687091200,true,false]'],
    ['\u0000 "\\/ü😀\u2028', '"\\u0000 \\"\\\\/ü😀\u2028"'],
    [{}, '{}'],
    [[], '[]'],
    [undefined, 'null'],
  ])('%j', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  test('a digest, and what it is of', () => {
    const hash = '4252f8d56b4bb236d0b1bc95a1202e392ca84ce0644bf628398fbb9517287da8';
    expect(digestOf('first', 'second')).toBe(`sha256:${hash}`);
  });

  test('times', () => {
    expect(timestamp(NOW)).toBe('2026-03-01T12:00:00Z');
    expect(timestamp(wholeSecond(NOW))).toBe('2026-03-01T12:00:01Z');
    expect(microTime(NOW)).toBe('2026-03-01T12:00:00.123000Z');
  });
});

describe('the Lease', () => {
  const us = { namespace: 'pw', name: 'pipewright', identity: 'us', leaseMs: 15_000, now: NOW };
  const time = '2026-03-01T12:00:00.123000Z';
  const before = '2026-03-01T11:59:58.000000Z';
  const made = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'pw', name: 'pipewright' },
    spec: {
      holderIdentity: 'us',
      leaseDurationSeconds: 15,
      renewTime: time,
      acquireTime: time,
      leaseTransitions: 0,
    },
  };
  const seen = (holderIdentity: string): Lease => ({
    metadata: {
      namespace: 'pw',
      name: 'pipewright',
      uid: 'uid-1',
      resourceVersion: '7',
      creationTimestamp: '2026-03-01T10:00:00Z',
      labels: { kept: 'yes' },
      managedFields: [],
    },
    spec: { ...made.spec, holderIdentity, renewTime: before, acquireTime: before },
  });
  const { managedFields: _, ...kept } = seen('').metadata;

  test('is made', () => {
    expect(claimed(undefined, us)).toEqual(made);
  });

  test('is renewed', () => {
    const spec = { ...made.spec, acquireTime: before };
    expect(claimed(seen('us'), us)).toEqual({ ...made, metadata: kept, spec });
  });

  test('is taken over', () => {
    const spec = { ...made.spec, leaseTransitions: 1 };
    expect(claimed(seen('them'), us)).toEqual({ ...made, metadata: kept, spec });
  });

  test('is released', () => {
    const empty = { holderIdentity: '', leaseDurationSeconds: 1 };
    const spec = { ...made.spec, ...empty, acquireTime: before };
    expect(released(seen('us'), NOW)).toEqual({ ...made, metadata: kept, spec });
  });
});

test('an event', () => {
  const said = { type: 'Warning', reason: 'Any', action: 'Reconcile', note: 'words' } as const;
  const object = { ...aPipeSettings({ name: 'orders.eu' }), type: organizationType };
  expect(eventBody({ object, ...said }, { instance: 'pod-1_uuid', now: NOW })).toEqual({
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: {
      namespace: 'ingest',
      name: expect.stringMatching(/^orders\.eu\.[0-9a-f]{16}$/) as unknown,
    },
    eventTime: '2026-03-01T12:00:00.123000Z',
    reportingController: 'pipewright.dev/pipewright',
    reportingInstance: 'pod-1_uuid',
    regarding: {
      apiVersion: 'pipewright.dev/v1alpha1',
      kind: 'Organization',
      namespace: 'ingest',
      name: 'orders.eu',
      uid: 'uid-1',
      resourceVersion: '1',
    },
    ...said,
  });
});

test('the finalizer, and how it comes and goes', async () => {
  expect(FINALIZER).toBe('pipewright.dev/remove-private-endpoints');
  const kube = new MemoryKube();
  const write = createFinalizerWriter(kube.client({ clock: new FakeClock() }));
  const path = '/apis/pipewright.dev/v1alpha1/namespaces/ingest/organizations/orders';
  kube.set(path, aPipeSettings());
  // This server knows no PATCH; what it was asked is all that counts.
  await write(organizationType, aPipeSettings(), ['a', FINALIZER]).catch(() => undefined);
  await write(organizationType, aPipeSettings(), []).catch(() => undefined);
  const finalizers = ['a', 'pipewright.dev/remove-private-endpoints'];
  expect(kube.calls.map(({ method, path: to, body }) => ({ method, to, body }))).toEqual([
    { method: 'PATCH', to: path, body: { metadata: { resourceVersion: '1', finalizers } } },
    { method: 'PATCH', to: path, body: { metadata: { resourceVersion: '1', finalizers: null } } },
  ]);
});

test('the annotation that users set', () => {
  const annotations = { 'pipewright.dev/reconcile-requested-at': 'now' };
  const { metadata } = aPipeSettings();
  expect(requestedAt({ metadata: { ...metadata, annotations } })).toBe('now');
});

/** Kubernetes names the manager of a field after what stands before the slash. */
test('the name under which it calls, and so the manager of its fields', async () => {
  const agents = new Set<string | undefined>();
  const called = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    agents.add(request.headers['user-agent']);
    called.resolve();
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const parsed = parseConfig({ argv: ['--api-url', url.href], env: {}, version: 'test' });
  if (!parsed.ok) throw new Error(parsed.message);
  const stop = new AbortController();
  const running = runProcess({
    config: parsed.config,
    cluster: {
      server: url,
      namespace: undefined,
      credentials: () => Promise.resolve({ headers: {}, tls: {} }),
      renew: () => Promise.resolve(),
    },
    clock: systemClock,
    log: recordingLog().log,
    metrics: createMetrics(),
    version: '1.2.3',
    identity: 'us',
    guard: () => () => undefined,
    startServer: () => Promise.resolve({ port: 1, close: () => Promise.resolve() }),
    stop: stop.signal,
  });
  await called.promise;
  stop.abort();
  await running;
  const toKubernetes = [...agents];
  agents.clear();
  const api = createApiClient({
    baseUrl: url,
    timeoutMs: 5_000,
    clock: systemClock,
    version: '1.2.3',
    mayStart: () => true,
  });
  const credential = { id: 'key', authorization: 'Basic a2V5', mask: (text: string) => text };
  await api.call({ operation: 'GetActivity', method: 'GET', path: ['v1'], credential });
  await api.close();
  server.closeAllConnections();
  server.close();
  expect([toKubernetes, [...agents]]).toEqual([['pipewright/1.2.3'], ['pipewright/1.2.3']]);
});
