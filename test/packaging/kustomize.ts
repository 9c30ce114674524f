import { controlPlane } from '../controlplane/client.ts';
import { findProgram } from '../controlplane/programs.ts';
import { type Manifest, parseManifests } from './manifests.ts';
import { succeed } from './run.ts';

/** What kustomize makes of an overlay of deploy/kustomize. */
export function overlay(name: string): Promise<Manifest[]> {
  return built(`deploy/kustomize/overlays/${name}`);
}

/** What kustomize makes of any folder. */
export async function built(folder: string): Promise<Manifest[]> {
  const text = await succeed(await findProgram('kustomize'), ['build', folder]);
  return parseManifests(text, controlPlane.kubectlProgram);
}
