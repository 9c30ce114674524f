import { definitions } from '../../kinds/definitions.ts';
import { organizationType } from '../../kinds/organization/resource.ts';
import type { Kubectl } from '../kubectl.ts';
import { type Finding, fine, problem, unseen } from './findings.ts';
import type { SecretUse } from './secrets.ts';

/** Something that the operator must be allowed; one SubjectAccessReview. */
export interface Right {
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly verb: string;
  /** Absent: all of them. */
  readonly name?: string;
  readonly namespace: string;
}

const READ = ['get', 'list', 'watch'];
const UNCHECKED = 'The operator’s rights: not checked, because';

/** In a namespace with objects. A test holds that the manifests give exactly these. */
function rightsOnObjects(namespace: string): readonly Right[] {
  return [
    ...definitions.flatMap(({ type: { group, plural: resource } }) => [
      ...READ.map((verb) => ({ group, resource, verb, namespace })),
      { group, resource, subresource: 'status', verb: 'update', namespace },
    ]),
    // The finalizer of deletionPolicy: RemovePrivateEndpoints.
    { group: organizationType.group, resource: organizationType.plural, verb: 'patch', namespace },
    { group: 'events.k8s.io', resource: 'events', verb: 'create', namespace },
  ];
}

/** May be cut down to those that objects refer to. */
function rightsOnSecret({ namespace, name }: SecretUse): Right {
  return { group: '', resource: 'secrets', name, verb: 'get', namespace };
}

/** Asks the API server in one batch what the operator's ServiceAccount may do. */
export async function checkRights(
  kubectl: Kubectl,
  about: {
    readonly serviceAccount: string | undefined;
    readonly operatorNamespace: string;
    readonly namespaces: readonly string[];
    readonly uses: readonly SecretUse[];
  },
): Promise<readonly Finding[]> {
  const { serviceAccount, operatorNamespace, namespaces, uses } = about;
  if (serviceAccount === undefined)
    return [
      unseen(
        `${UNCHECKED} namespace ${operatorNamespace} has no Deployment or Pod with the label app.kubernetes.io/name=pipewright; name the operator’s namespace with --operator-namespace`,
      ),
    ];
  const rights = [...namespaces.flatMap(rightsOnObjects), ...uses.map(rightsOnSecret)];
  if (rights.length === 0)
    return [unseen(`${UNCHECKED} no object of Pipewright was found; -A checks all namespaces`)];
  const user = `system:serviceaccount:${operatorNamespace}:${serviceAccount}`;
  const missing = await missingOf(kubectl, rights, user, operatorNamespace);
  if (missing.length === 0)
    return [
      fine(
        `The operator (${user}) has the ${rights.length} rights on objects, Secrets and events that it needs here`,
      ),
    ];
  const groups = Map.groupBy(missing, (right) => JSON.stringify({ ...right, verb: '' }));
  return [...groups.values()].map((some) =>
    problem(
      `The operator may not ${wordsOf(some)}; give a Role with this to the ServiceAccount ${operatorNamespace}/${serviceAccount}`,
    ),
  );
}

async function missingOf(
  kubectl: Kubectl,
  rights: readonly Right[],
  user: string,
  operatorNamespace: string,
): Promise<readonly Right[]> {
  const groups = [
    'system:serviceaccounts',
    `system:serviceaccounts:${operatorNamespace}`,
    'system:authenticated',
  ];
  const items = rights.map((resourceAttributes) => ({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { user, groups, resourceAttributes },
  }));
  const answers = await kubectl.succeed(
    ['create', '--validate=false', '-o', 'jsonpath={.status.allowed}{"\\n"}', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  );
  const lines = answers.trimEnd().split('\n');
  return rights.filter((_, at) => lines[at] !== 'true');
}

/** `get, list secrets management-api in namespace ingest`. */
function wordsOf(rights: readonly Right[]): string {
  const [first] = rights;
  if (!first) return '';
  const { group, resource, subresource, name, namespace } = first;
  const what = [resource, ...(subresource === undefined ? [] : [subresource])].join('/');
  const full = group === '' ? what : `${what} of ${group}`;
  const which = name === undefined ? '' : ` ${name}`;
  return `${rights.map(({ verb }) => verb).join(', ')} ${full}${which} in namespace ${namespace}`;
}
