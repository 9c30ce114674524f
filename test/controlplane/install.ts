import { Pool } from 'undici';
import type { ControlPlane } from './controlplane.ts';

const BASE = 'deploy/kustomize/base';

/** The operator's, as the manifests have it. */
export const ACCOUNT = { namespace: 'pipewright', name: 'pipewright' } as const;

/** The CRDs, and the rights of the operator's ServiceAccount; gives a kubeconfig of it. */
export async function installOperator(controlPlane: ControlPlane): Promise<string> {
  const kubectl = async (args: readonly string[]): Promise<void> => {
    const { code, stderr } = await controlPlane.kubectl(args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
  };
  for (const file of ['crds/', `${BASE}/namespace.yaml`, `${BASE}/rbac.yaml`])
    await kubectl(['apply', '--server-side', '-f', file]);
  await kubectl(['wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all']);
  return controlPlane.serviceAccountKubeconfig(ACCOUNT.namespace, ACCOUNT.name);
}

/** Requests as the administrator, many at once; throws for anything but success. */
export function createAdmin({ server, ca, admin }: ControlPlane, connections: number) {
  const connect = { ca, cert: admin.certPem ?? '', key: admin.keyPem ?? '' };
  const pool = new Pool(server, { connections, connect });
  return {
    async ask<T>(
      method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
      path: string,
      body?: unknown,
    ): Promise<T> {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const headers = { 'content-type': type };
      const text = body === undefined ? null : JSON.stringify(body);
      const reply = await pool.request({ method, path, headers, body: text });
      const answer = await reply.body.text();
      if (reply.statusCode >= 300)
        throw new Error(`${method} ${path}: HTTP ${reply.statusCode}: ${answer}`);
      return JSON.parse(answer) as T;
    },
    close: () => pool.destroy(),
  };
}
