import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { createKubeClient } from '../../src/kube/client.ts';
import { Cluster, loadCluster } from '../../src/kube/cluster.ts';
import { controlPlane, newNamespace } from '../controlplane/client.ts';
import { requestToken } from '../controlplane/identity.ts';
import { temporaryFolder } from '../support/folder.ts';

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

afterEach(() => {
  vi.unstubAllEnvs();
});

test('a kubeconfig with a client certificate is enough', async () => {
  const client = createKubeClient(await loadCluster(controlPlane.adminKubeconfig));
  onTestFinished(() => client.close());
  const path = '/api/v1/namespaces/default';
  expect(await client.request({ method: 'GET', path })).toMatchObject({ kind: 'Namespace' });
});

test('a ServiceAccount mount is enough; a wrong CA is refused, and a right one put in its place is used', async () => {
  const namespace = await newNamespace();
  const admin = createKubeClient(await loadCluster(controlPlane.adminKubeconfig));
  onTestFinished(() => admin.close());
  await admin.request({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    body: { metadata: { name: 'op' } },
  });
  const token = await requestToken(controlPlane.admin, { namespace, name: 'op' });
  const root = await temporaryFolder();
  const folder = join(root, 'var/run/secrets/kubernetes.io/serviceaccount');
  await mkdir(folder, { recursive: true });
  const file = (name: string, text: string) => writeFile(join(folder, name), text);
  await Promise.all([
    file('token', `${token}\n`),
    file('namespace', namespace),
    file('ca.crt', OTHER_CA),
  ]);
  const { hostname, port } = new URL(controlPlane.server);
  vi.stubEnv('KUBERNETES_SERVICE_HOST', hostname);
  vi.stubEnv('KUBERNETES_SERVICE_PORT', port);
  const cluster = new Cluster();
  cluster.loadFromCluster(root);
  expect(cluster.namespace).toBe(namespace);
  const client = createKubeClient(cluster);
  onTestFinished(() => client.close());
  const call = { method: 'GET', path: `/api/v1/namespaces/${namespace}/configmaps` } as const;
  await expect(client.request(call)).rejects.toMatchObject({ status: 0, reason: 'NoAnswer' });
  await file('ca.crt', controlPlane.ca);
  await expect(client.request(call)).rejects.toMatchObject({
    status: 403,
    body: expect.stringContaining(`system:serviceaccount:${namespace}:op`) as string,
  });
});
