import type { TestProject } from 'vitest/node';
import type { ProvidedControlPlane } from './client.ts';
import { type ControlPlaneOptions, startControlPlane } from './controlplane.ts';

/** One control plane for all integration tests; they reach it through `client.ts`. */
export default function setup(project: TestProject): Promise<() => Promise<void>> {
  return share(project);
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
