import { kubectl, serviceAccountKubeconfig } from '../controlplane/client.ts';
import { allow, type Rule } from './cluster.ts';

/** A user with kubectl, rights in a namespace, and none elsewhere. */
export interface Person {
  readonly user: string;
  /** What kubectl printed; throws with its complaint where it fails. */
  succeeds(args: readonly string[], object?: unknown): Promise<string>;
  /** Its complaint; throws where it succeeds. */
  fails(args: readonly string[], object?: unknown): Promise<string>;
}

export async function personIn(
  namespace: string,
  name: string,
  rules: readonly Rule[],
): Promise<Person> {
  const kubeconfig = await serviceAccountKubeconfig(namespace, name);
  await allow(namespace, name, rules);
  const user = `system:serviceaccount:${namespace}:${name}`;
  const run = async (args: readonly string[], object?: unknown) => {
    const stdin = object === undefined ? undefined : JSON.stringify(object);
    return {
      ...(await kubectl(args, stdin, kubeconfig)),
      what: `${user}: kubectl ${args.join(' ')}`,
    };
  };
  return {
    user,
    async succeeds(args, object) {
      const { code, stdout, stderr, what } = await run(args, object);
      if (code !== 0) throw new Error(`${what}: ${stderr}`);
      return stdout;
    },
    async fails(args, object) {
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
