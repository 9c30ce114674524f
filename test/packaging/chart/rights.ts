import { controlPlane, serviceAccountKubeconfig } from '../../controlplane/client.ts';
import { succeed } from '../../controlplane/run.ts';
import { type Rule, untilAllowed } from '../../support/cluster.ts';
import { rendered } from './helm.ts';
import { type Manifest, only, valueAt } from './manifests.ts';

const INSTALLED = ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];

/** An operator's rights as the chart renders them, and its settings as flags. */
export interface Installed {
  readonly kubeconfig: string;
  readonly flags: readonly string[];
  /** As the audit log names it. */
  readonly user: string;
  /** `resource verb`, of all its rules. */
  readonly rights: readonly string[];
}

/** Installs ServiceAccount and RBAC of a rendering and nothing else, and waits until they hold. */
export async function installRights(options: {
  readonly name: string;
  readonly namespace: string;
  readonly values: object;
}): Promise<Installed> {
  const { name, namespace } = options;
  const values = { fullnameOverride: name, crds: { enabled: false }, ...options.values };
  const manifests = await rendered({ values, namespace });
  const rights = manifests.filter(({ kind }) => INSTALLED.includes(kind));
  await succeed(controlPlane.kubectlProgram, ['apply', '--server-side', '-f', '-'], {
    stdin: rights.map((one) => JSON.stringify(one)).join('\n---\n'),
    env: { KUBECONFIG: controlPlane.adminKubeconfig },
  });
  const user = `system:serviceaccount:${namespace}:${name}`;
  await Promise.all(rights.map((one) => holds(one, user, namespace)));
  return {
    kubeconfig: await serviceAccountKubeconfig(namespace, name),
    // The first two are so in a Pod without a flag.
    flags: [
      '--leader-elect',
      `--leader-elect-namespace=${namespace}`,
      '--api-rate=0',
      ...flagsOf(only(manifests, 'Deployment')),
    ],
    user,
    rights: rightsOf(rights),
  };
}

function flagsOf(deployment: Manifest): string[] {
  const env = valueAt(deployment, 'spec.template.spec.containers.0.env');
  return (env as readonly { readonly name: string; readonly value: string }[])
    .filter(({ name }) => name !== 'PIPEWRIGHT_API_URL')
    .map(({ name, value }) => {
      const flag = name.replace('PIPEWRIGHT_', '').toLowerCase().replaceAll('_', '-');
      return `--${flag}=${value}`;
    });
}

/** A Role is stored as a whole, so the last of its rules stands for all. */
async function holds(manifest: Manifest, user: string, fallback: string): Promise<void> {
  const last = rulesOf([manifest]).at(-1);
  if (!last) return;
  const { namespace = fallback } = manifest.metadata;
  const [resource, subresource] = last.resources[0]?.split('/') ?? [];
  const [group, verb, name] = [last.apiGroups[0], last.verbs[0], last.resourceNames?.[0]];
  await untilAllowed(user, { namespace, group, resource, subresource, verb, name });
}

export function rulesOf(manifests: readonly Manifest[]): Rule[] {
  return manifests.flatMap(({ rules = [] }) => rules as readonly Rule[]);
}

function rightsOf(manifests: readonly Manifest[]): string[] {
  return rulesOf(manifests).flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${resource} ${verb}`)),
  );
}
