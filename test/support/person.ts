import { kubectl, serviceAccountKubeconfig } from '../controlplane/client.ts';
import { allow, type Rule } from './cluster.ts';

export type Person = Awaited<ReturnType<typeof personIn>>;

/** A user with kubectl, rights in a namespace, and none elsewhere. */
export async function personIn(namespace: string, name: string, rules: readonly Rule[]) {
  const kubeconfig = await serviceAccountKubeconfig(namespace, name);
  await allow(namespace, name, rules);
  const user = `system:serviceaccount:${namespace}:${name}`;
  const run = async (args: readonly string[], object?: unknown) => {
    const stdin = object === undefined ? undefined : JSON.stringify(object);
    const what = `${user}: kubectl ${args.join(' ')}`;
    return { ...(await kubectl(args, stdin, kubeconfig)), what };
  };
  return {
    user,
    /** What kubectl printed; throws with its complaint where it fails. */
    async succeeds(args: readonly string[], object?: unknown): Promise<string> {
      const { code, stdout, stderr, what } = await run(args, object);
      if (code !== 0) throw new Error(`${what}: ${stderr}`);
      return stdout;
    },
    /** Its complaint; throws where it succeeds. */
    async fails(args: readonly string[], object?: unknown): Promise<string> {
      const { code, stdout, stderr, what } = await run(args, object);
      if (code === 0) throw new Error(`${what} succeeded: ${stdout}`);
      return stderr;
    },
  };
}

const all = ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'];

/** The rights of whom its namespace is trusted to, the status too. */
export const OBJECTS: Rule = {
  apiGroups: ['pipewright.dev'],
  resources: ['pipesettings', 'organizations', 'activities'],
  verbs: all,
};
export const STATUS: Rule = {
  apiGroups: ['pipewright.dev'],
  resources: ['pipesettings/status', 'organizations/status', 'activities/status'],
  verbs: all,
};
/** What a RoleBinding to cluster-admin gives. */
export const EVERYTHING: Rule = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
