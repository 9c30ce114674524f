import type { TestProject } from 'vitest/node';
import { share } from './global-setup.ts';
import { findProgram } from './programs.ts';

/** The same with the kube-apiserver of the oldest Kubernetes that the operator works with. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  return share(project, { apiServerProgram: await findProgram('kube-apiserver-floor') });
}
