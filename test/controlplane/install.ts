import type { ControlPlane } from './controlplane.ts';
import { succeed } from './run.ts';

const BASE = 'deploy/kustomize/base';

/** The operator's, as the manifests have it. */
export const ACCOUNT = { namespace: 'pipewright', name: 'pipewright' } as const;

/** The CRDs, and the rights of the operator's ServiceAccount; gives a kubeconfig of it. */
export async function installOperator(controlPlane: ControlPlane): Promise<string> {
  const { kubectlProgram, adminKubeconfig: KUBECONFIG } = controlPlane;
  const kubectl = (...args: string[]) => succeed(kubectlProgram, args, { env: { KUBECONFIG } });
  for (const file of ['crds/', `${BASE}/namespace.yaml`, `${BASE}/rbac.yaml`])
    await kubectl('apply', '--server-side', '-f', file);
  await kubectl('wait', '--for=condition=Established', '--timeout=60s', 'crd', '--all');
  return controlPlane.serviceAccountKubeconfig(ACCOUNT.namespace, ACCOUNT.name);
}
