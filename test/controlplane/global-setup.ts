import type { TestProject } from 'vitest/node';
import { staleBundle } from '../bundles.ts';
import { startControlPlane } from './controlplane.ts';

/** One control plane for all files of a project; they reach it through `client.ts`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stale = staleBundle();
  if (stale !== undefined) throw new Error(stale);
  const { stop, server, ca, admin, adminKubeconfig, kubectlProgram, folder, auditLog } =
    await startControlPlane();
  const shared = { server, ca, admin, adminKubeconfig, kubectlProgram, folder, auditLog };
  project.provide('controlPlane', shared);
  return stop;
}
