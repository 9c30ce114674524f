import { serviceAccountKubeconfig } from '../controlplane/client.ts';
import { type Rule, untilAllowed } from '../support/cluster.ts';
import { succeed } from '../support/crd.ts';
import { rendered } from './helm.ts';
import { type Manifest, only } from './manifests.ts';

const INSTALLED = ['ServiceAccount', 'ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];

/** An operator's rights as the chart renders them, and its settings as flags. */
export interface Installed {
  readonly kubeconfig: string;
  readonly flags: readonly string[];
  /** As the audit log names it. */
  readonly user: string;
}

/**
 * Installs ServiceAccount and RBAC of a rendering, and gives the operator's access and flags once its
 * rights hold. Nothing else is installed.
 */
export async function installRights(options: {
  readonly name: string;
  readonly namespace: string;
  readonly values: object;
}): Promise<Installed> {
  const { name, namespace, values } = options;
  const given = { fullnameOverride: name, crds: { enabled: false }, ...values };
  const manifests = await rendered({ values: given, namespace });
  const rights = manifests.filter(({ kind }) => INSTALLED.includes(kind));
  await succeed(
    ['apply', '--server-side', '-f', '-'],
    rights.map((one) => JSON.stringify(one)).join('\n---\n'),
  );
  const user = `system:serviceaccount:${namespace}:${name}`;
  await Promise.all(
    rights.filter((one) => 'rules' in one).map((role) => holding(role, user, namespace)),
  );
  const { spec } = only(manifests, 'Deployment') as unknown as {
    spec: { template: { spec: { containers: [{ env: { name: string; value: string }[] }] } } };
  };
  const flags = spec.template.spec.containers[0].env
    .filter(({ name: variable }) => variable !== 'PIPEWRIGHT_API_URL')
    .map(
      ({ name: variable, value }) =>
        `--${variable.replace('PIPEWRIGHT_', '').toLowerCase().replaceAll('_', '-')}=${value}`,
    );
  return {
    kubeconfig: await serviceAccountKubeconfig(namespace, name),
    // In a cluster this is so without a flag.
    flags: ['--leader-elect', '--leader-elect-namespace', namespace, '--api-rate', '0', ...flags],
    user,
  };
}

/**
 * Waits until the API server goes by this Role. It is stored as a whole, so the last rule stands
 * for all.
 */
async function holding(role: Manifest, user: string, fallback: string): Promise<void> {
  const { namespace = fallback } = role.metadata;
  const last = (role['rules'] as readonly Rule[]).at(-1);
  if (!last) return;
  const [resource = '', subresource] = (last.resources[0] ?? '').split('/');
  const named = { name: last.resourceNames?.[0], subresource };
  await untilAllowed(user, {
    namespace,
    group: last.apiGroups[0],
    resource,
    verb: last.verbs[0],
    ...named,
  });
}

export function rulesOf(manifests: readonly Manifest[]): Rule[] {
  return manifests.flatMap((one) => ('rules' in one ? (one['rules'] as Rule[]) : []));
}

/** `group/resource verb` for each right of the rules, the core group without a name. */
export function rightsOf(manifests: readonly Manifest[]): string[] {
  return rulesOf(manifests).flatMap(({ resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${resource} ${verb}`)),
  );
}
