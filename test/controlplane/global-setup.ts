import { readdirSync, statSync } from 'node:fs';
import type { TestProject } from 'vitest/node';
import type { ProvidedControlPlane } from './client.ts';
import { startControlPlane } from './controlplane.ts';

/** One control plane for all integration tests; they reach it through `client.ts`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  BUNDLES.forEach(requireNew);
  const { stop, server, ca, admin, adminKubeconfig, kubectlProgram, folder, auditLog } =
    await startControlPlane();
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
  return stop;
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
