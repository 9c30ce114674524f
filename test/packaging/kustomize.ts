import { controlPlane } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { type Manifest, parseManifests } from './manifests.ts';
import { succeed } from './run.ts';

/** What kustomize makes of an overlay of deploy/kustomize. */
export async function overlay(name: string): Promise<Manifest[]> {
  const built = await succeed(await findProgram('kustomize'), [
    'build',
    `deploy/kustomize/overlays/${name}`,
  ]);
  return parseManifests(built, controlPlane.kubectlProgram);
}
