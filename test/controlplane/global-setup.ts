import { readdirSync, statSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import type { ProvidedControlPlane } from './client.ts';
import { type ControlPlaneOptions, startControlPlane } from './controlplane.ts';

/** One control plane for all integration tests; they reach it through `client.ts`. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  BUNDLES.forEach(requireNew);
  return share(project);
}

/** What the tests of these projects run. */
const BUNDLES = ['dist/pipewright.js', 'dist/kubectl-pipewright.js'];

/** An older one would be judged for what `src` was before. */
function requireNew(bundle: string): void {
  const built = statSync(bundle, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newer = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .find((path) => path.endsWith('.ts') && statSync(path).mtimeMs > built);
  if (newer !== undefined)
    throw new Error(`${bundle} is older than ${newer}, or is not there; run \`npm run build\``);
}

/** Starts one for a project of vitest, and gives what stops it. */
export async function share(
  project: TestProject,
  options: ControlPlaneOptions = {},
): Promise<() => Promise<void>> {
  const controlPlane = await startControlPlane(options);
  const { server, ca, admin, adminKubeconfig, kubectlProgram, folder, auditLog } = controlPlane;
  const shared: ProvidedControlPlane = {
    server,
    ca,
    admin,
    adminKubeconfig,
    kubectlProgram,
    folder,
    auditLog,
  };
  project.provide('controlPlane', shared);
  return controlPlane.stop;
}
