import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { loadCluster } from '../../src/kube/auth/load-cluster.ts';
import { listAll } from '../../src/kube/cache/list.ts';
import { Store } from '../../src/kube/cache/store.ts';
import { startWatch } from '../../src/kube/cache/watch.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/client/client.ts';
import { collectionPath, type KubeObject, objectPath } from '../../src/kube/resource.ts';
import { controlPlane, newNamespace, waitFor } from '../controlplane/client.ts';
import { requestToken } from '../controlplane/identity.ts';
import { temporaryFolder } from '../support/folder.ts';
import { recordingLog } from '../support/recording-log.ts';

const CONFIG_MAP = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' };
const SECRET = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' };

/** Of an authority that signed nothing here. */
const OTHER_CA = `-----BEGIN CERTIFICATE-----
MIIBjzCCATWgAwIBAgIUDbecQ2EhuqLL8ohMmuaubVoIM50wCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRYW5vdGhlciBhdXRob3JpdHkwIBcNMjYxMTIxMDUyNDMyWhgP
MjEyNjEwMjgwNTI0MzJaMBwxGjAYBgNVBAMMEWFub3RoZXIgYXV0aG9yaXR5MFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEiOxhPibM08fI789dZNbRd1AjyWaeTBQp
UuUzeoNlAcZqxKZTPoK+AC/CTS2EomRj89zqSQD8ku6SYrd9W1tkdaNTMFEwHQYD
VR0OBBYEFFgOVqx6AyfvBEaVsS9JhpqjzE1fMB8GA1UdIwQYMBaAFFgOVqx6Ayfv
BEaVsS9JhpqjzE1fMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIh
AL2Aj6X4Oa3Z2V1M4I8Drwe7Q9DWwWS/xS0YWp94J+OgAiB1W7ErIhyXBquYzLmR
A5nvocuDblMLZA7TzWPdNjIH2A==
-----END CERTIFICATE-----
`;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function adminClient(): Promise<KubeClient> {
  const { adminKubeconfig: kubeconfig } = controlPlane;
  const client = createKubeClient(await loadCluster({ kubeconfig }));
  ends.push(() => client.close());
  return client;
}

function create(
  client: KubeClient,
  namespace: string,
  name: string,
  more: object = {},
): Promise<KubeObject> {
  const body = { metadata: { name }, ...more };
  return client.request<KubeObject>({
    method: 'POST',
    path: collectionPath(CONFIG_MAP, namespace),
    body,
  });
}

function watchConfigMaps(client: KubeClient, namespace: string) {
  const stop = new AbortController();
  const changes: string[] = [];
  const store = new Store<KubeObject>({
    onChange: (key, now, before, origin) =>
      changes.push(`${before ? 1 : 0}${now ? 1 : 0} ${key.split('/')[1]} ${origin}`),
  });
  const { log } = recordingLog();
  const path = collectionPath(CONFIG_MAP, namespace);
  const watch = startWatch({
    client,
    path,
    clock: systemClock,
    log,
    signal: stop.signal,
    sink: store.sink(),
  });
  ends.push(async () => {
    stop.abort();
    await watch.stopped;
  });
  return { store, changes, watch };
}

test('lists objects in pages, trimmed, as of one version', async () => {
  const client = await adminClient();
  const namespace = await newNamespace();
  const names = Array.from({ length: 12 }, (_, i) => `c-${i}`);
  for (const name of names) await create(client, namespace, name, { data: { name } });
  const request = vi.spyOn(client, 'request');
  const { objects, resourceVersion } = await listAll<KubeObject>({
    client,
    path: collectionPath(CONFIG_MAP, namespace),
    pageSize: 5,
    trim: ({ metadata: { name, namespace, uid, resourceVersion, creationTimestamp } }) => ({
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    }),
  });
  expect(request).toHaveBeenCalledTimes(3);
  expect(objects.map(({ metadata }) => metadata.name).sort()).toEqual(names.sort());
  expect(Object.keys(objects[0] ?? {})).toEqual(['metadata']);
  expect(BigInt(resourceVersion)).toBeGreaterThan(0n);
});

test('a watch sees every change, and a reply that is older than it is ignored', async () => {
  const client = await adminClient();
  const namespace = await newNamespace();
  const { store, changes, watch } = watchConfigMaps(client, namespace);
  await watch.synced;
  const first = await create(client, namespace, 'a');
  const path = objectPath(CONFIG_MAP, namespace, 'a');
  await client.request({ method: 'PATCH', path, body: { data: { x: 'ä€𝄞' } } });
  await waitFor(() => changes, { what: 'both changes', until: ({ length }) => length >= 2 });
  expect(changes).toEqual(['01 a event', '11 a event']);
  expect(store.put(first)).toBe(false);
  const last = await client.request<KubeObject>({
    method: 'PATCH',
    path,
    body: { data: { x: 'b' } },
  });
  await client.request({ method: 'DELETE', path });
  await waitFor(() => store.size, { what: 'the deletion', until: (size) => size === 0 });
  expect(store.put(last)).toBe(false);
});

test('two hundred watches by name share few connections (HTTP/2), and a call does not wait behind them', async () => {
  let connections = 0;
  const count = (): void => void (connections += 1);
  subscribe('undici:client:connected', count);
  const client = await adminClient();
  const namespace = await newNamespace();
  const stop = new AbortController();
  const { log } = recordingLog();
  const watches = Array.from({ length: 200 }, (_, i) => {
    const opened = Promise.withResolvers<void>();
    const watch = startWatch<KubeObject>({
      client,
      path: collectionPath(SECRET, namespace),
      fieldSelector: `metadata.name=s-${i}`,
      metadataOnly: true,
      pageSize: 1,
      clock: systemClock,
      log,
      signal: stop.signal,
      sink: new Store<KubeObject>({ onChange: () => undefined }).sink(),
      onState: (state) => state === 'watching' && opened.resolve(),
    });
    return { opened: opened.promise, watch };
  });
  await Promise.all(watches.map(({ opened }) => opened));
  // Behind them every one would wait for a minute; of some, one at least meets a machine that has
  // time for it.
  const waits: number[] = [];
  for (let calls = 0; calls < 5; calls += 1) {
    const start = performance.now();
    await client.request({ method: 'GET', path: '/api/v1/namespaces/default' });
    waits.push(performance.now() - start);
  }
  expect(Math.min(...waits)).toBeLessThan(1000);
  expect(connections).toBeLessThanOrEqual(8);
  unsubscribe('undici:client:connected', count);
  stop.abort();
  await Promise.all(watches.map(({ watch }) => watch.stopped));
});

test('a ServiceAccount mount is enough; a wrong CA is refused, and a right one put in its place is used', async () => {
  const namespace = await newNamespace();
  const admin = await adminClient();
  await admin.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    body: { metadata: { name: 'op' } },
  });
  const token = await requestToken(controlPlane.admin, { namespace, name: 'op' });
  const folder = await temporaryFolder();
  const file = (name: string, text: string) => writeFile(join(folder, name), text);
  await Promise.all([
    file('token', `${token}\n`),
    file('namespace', namespace),
    file('ca.crt', OTHER_CA),
  ]);
  const { hostname, port } = new URL(controlPlane.server);
  let now = 0;
  const cluster = await loadCluster({
    clock: { ...systemClock, monotonic: () => now },
    serviceAccountFolder: folder,
    environment: { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port },
  });
  const client = createKubeClient(cluster);
  ends.push(() => client.close());
  const call = { method: 'GET', path: `/api/v1/namespaces/${namespace}/configmaps` } as const;
  await expect(client.request(call)).rejects.toMatchObject({ status: 0, reason: 'NoAnswer' });
  await file('ca.crt', controlPlane.ca);
  now += 10_000;
  await expect(client.request(call)).rejects.toMatchObject({
    status: 403,
    body: expect.stringContaining(`system:serviceaccount:${namespace}:op`) as string,
  });
});
