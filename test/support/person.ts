import { serviceAccountKubeconfig } from '../controlplane/client.ts';
import { allow, type Rule } from './cluster.ts';
import { PLURALS } from './kinds.ts';
import { complaint, succeed } from './kubectl.ts';

export type Person = Awaited<ReturnType<typeof personIn>>;

/** A user with kubectl, rights in a namespace, and none elsewhere. */
export async function personIn(namespace: string, name: string, rules: readonly Rule[]) {
  const kubeconfig = await serviceAccountKubeconfig(namespace, name);
  await allow(namespace, name, rules);
  return {
    user: `system:serviceaccount:${namespace}:${name}`,
    succeeds: (args: readonly string[], object: object = {}) =>
      succeed(args, JSON.stringify(object), kubeconfig),
    /** Gives its complaint. */
    fails: (args: readonly string[], object: object = {}) =>
      complaint(args, JSON.stringify(object), kubeconfig),
  };
}

/** The rights of whom its namespace is trusted to, the status too. */
export const [OBJECTS, STATUS] = ['', '/status'].map(
  (part): Rule => ({
    apiGroups: ['pipewright.dev'],
    resources: PLURALS.map((plural) => plural + part),
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  }),
) as [Rule, Rule];
/** What a RoleBinding to cluster-admin gives. */
export const EVERYTHING: Rule = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
