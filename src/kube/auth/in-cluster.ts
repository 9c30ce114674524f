import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Cluster } from '../client/cluster.ts';
import { KubeError } from '../client/kube-error.ts';
import { rememberCredentials } from './remember-credentials.ts';

const MOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The variables that the kubelet sets in every container. */
interface ClusterEnvironment {
  readonly KUBERNETES_SERVICE_HOST?: string | undefined;
  readonly KUBERNETES_SERVICE_PORT?: string | undefined;
}

/**
 * The cluster this process runs in, with its ServiceAccount; undefined outside of one. Token and CA
 * are read again when they change.
 */
export async function inCluster(options: {
  readonly clock: Clock;
  readonly environment: ClusterEnvironment;
  /** Where token, ca.crt and namespace are. */
  readonly folder?: string;
}): Promise<Cluster | undefined> {
  const { clock, environment, folder = MOUNT } = options;
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (!host || (await readIfThere(join(folder, 'token'))) === undefined) return undefined;
  return {
    server: new URL(`https://${isIPv6(host) ? `[${host}]` : host}:${port}`),
    namespace: await readIfThere(join(folder, 'namespace')),
    ...rememberCredentials(clock, async () => {
      const [token, ca] = await Promise.all([
        readFor(join(folder, 'token')),
        readFor(join(folder, 'ca.crt')),
      ]);
      return { headers: { authorization: `Bearer ${token}` }, tls: { ca } };
    }),
  };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    const text = (await readFile(file, 'utf8')).trim();
    return text === '' ? undefined : text;
  } catch {
    return undefined;
  }
}

async function readFor(file: string): Promise<string> {
  const text = await readIfThere(file);
  if (text !== undefined) return text;
  throw new KubeError({
    call: 'authenticate',
    status: 0,
    reason: 'NoCredentials',
    body: `${file} is missing, empty or unreadable; mount the ServiceAccount's token (automountServiceAccountToken)`,
  });
}
