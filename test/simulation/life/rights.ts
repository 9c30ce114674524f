import type { Right } from '../kubernetes/rights.ts';

/** The service account of the operator. */
export const OPERATOR = 'system:serviceaccount:pipewright:pipewright';

const OURS = ['pipesettings', 'organizations', 'activities'];

/**
 * What the operator may do, as deploy/kustomize/base/rbac.yaml says; with named namespaces by Roles
 * in them.
 */
export function operatorRights(namespaces: readonly string[] | undefined): Right[] {
  const group = 'pipewright.dev';
  const rules: Right[] = [
    { group, resources: OURS, verbs: ['get', 'list', 'watch'] },
    { group, resources: ['organizations'], verbs: ['patch'] },
    { group, resources: OURS.map((plural) => `${plural}/status`), verbs: ['update'] },
    { group: '', resources: ['secrets'], verbs: ['get', 'list', 'watch'] },
    { group: 'events.k8s.io', resources: ['events'], verbs: ['create'] },
  ];
  const lease: Right = {
    group: 'coordination.k8s.io',
    resources: ['leases'],
    verbs: ['get', 'list', 'watch', 'create', 'update'],
    namespace: 'pipewright',
  };
  const inEach = namespaces?.flatMap((namespace) => rules.map((rule) => ({ ...rule, namespace })));
  return [...(inEach ?? rules), lease];
}
