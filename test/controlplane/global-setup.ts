import type { TestProject } from 'vitest/node';
import type { ProvidedControlPlane } from './client.ts';
import { startControlPlane } from './controlplane.ts';

/** One control plane for all integration tests; they reach it through `client.ts`. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const controlPlane = await startControlPlane();
  const { server, ca, admin, adminKubeconfig, kubectlProgram, folder, auditLog } = controlPlane;
  const shared: ProvidedControlPlane = { server, ca, admin, adminKubeconfig, kubectlProgram, folder, auditLog };
  project.provide('controlPlane', shared);
  return controlPlane.stop;
}
