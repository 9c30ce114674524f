import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadCluster } from '../../src/kube/auth/load-cluster.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { folderOf } from '../support/folder.ts';

const KUBECONFIG = `
current-context: one
contexts: [{ name: one, context: { cluster: c, user: u, namespace: team } }]
clusters: [{ name: c, cluster: { server: 'https://127.0.0.1:6443' } }]
users: [{ name: u, user: { token: t } }]
`;

test('in a cluster the mounted ServiceAccount is used, unless a kubeconfig is named', async () => {
  const mount = await folderOf({ token: 'mounted\n', 'ca.crt': 'CA', namespace: 'home' });
  const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '443' };
  const here = await loadCluster({ serviceAccountFolder: mount, environment });
  expect([here.server.href, here.namespace]).toEqual(['https://[fd00::1]/', 'home']);
  expect(await here.credentials()).toEqual({
    headers: { authorization: 'Bearer mounted' },
    tls: { ca: 'CA' },
  });
  const folder = await folderOf({ config: KUBECONFIG });
  const named = await loadCluster({
    serviceAccountFolder: mount,
    environment,
    kubeconfig: join(folder, 'config'),
  });
  expect(named.namespace).toBe('team');
});

test('a rotated token is used 10 s later, and connections stay until the CA changes', async () => {
  const mount = await folderOf({ token: 'one', 'ca.crt': 'CA' });
  const clock = new FakeClock();
  const cluster = await loadCluster({
    clock,
    serviceAccountFolder: mount,
    environment: { KUBERNETES_SERVICE_HOST: '127.0.0.1' },
  });
  const first = await cluster.credentials();
  await writeFile(join(mount, 'token'), 'two');
  await clock.advance(9_999);
  expect(await cluster.credentials()).toBe(first);
  await clock.advance(1);
  const second = await cluster.credentials();
  expect(second.headers).toEqual({ authorization: 'Bearer two' });
  expect(second.tls).toBe(first.tls);
  await writeFile(join(mount, 'ca.crt'), 'CA and next CA');
  await clock.advance(10_000);
  expect((await cluster.credentials()).tls).toEqual({ ca: 'CA and next CA' });
});

test('a mount that is half-way through a rotation does not cost the identity', async () => {
  const mount = await folderOf({ token: 'one', 'ca.crt': 'CA' });
  const clock = new FakeClock();
  const cluster = await loadCluster({
    clock,
    serviceAccountFolder: mount,
    environment: { KUBERNETES_SERVICE_HOST: '127.0.0.1' },
  });
  const first = await cluster.credentials();
  await writeFile(join(mount, 'token'), '');
  await clock.advance(10_000);
  expect(await cluster.credentials()).toEqual(first);
});
