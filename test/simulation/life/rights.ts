import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { Right } from '../kubernetes/rights.ts';

/** The service account of the operator. */
export const OPERATOR = 'system:serviceaccount:pipewright:pipewright';

interface Role {
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const RBAC = new URL('../../../deploy/kustomize/base/rbac.yaml', import.meta.url);
const documents = parseAllDocuments(readFileSync(RBAC, 'utf8')).map((one) => one.toJS() as Role);

/**
 * What the operator may do, as deploy/kustomize/base/rbac.yaml says; with named namespaces by Roles
 * in them.
 */
export function operatorRights(namespaces: readonly string[] | undefined): Right[] {
  const everywhere = rightsOf('ClusterRole');
  const inEach = namespaces?.flatMap((namespace) =>
    everywhere.map((right) => ({ ...right, namespace })),
  );
  return [...(inEach ?? everywhere), ...rightsOf('Role')];
}

/** The rules of all roles of one kind; a Role gives them in its own namespace. */
function rightsOf(kind: string): Right[] {
  return documents
    .filter((one) => one.kind === kind)
    .flatMap(({ metadata: { namespace }, rules = [] }) =>
      rules.flatMap(({ apiGroups, resources, verbs }) =>
        apiGroups.map((group) => ({
          group,
          resources,
          verbs,
          ...(namespace !== undefined && { namespace }),
        })),
      ),
    );
}
