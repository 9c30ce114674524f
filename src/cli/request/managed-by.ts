import type { KubeObject } from '../../kube/resource.ts';
import { OWNERS } from '../owners.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Who may set `spec.suspend` back to what it was, as a sentence; undefined: nobody is known. */
export function whoMayRevert({ metadata }: KubeObject): string | undefined {
  const { labels = {}, annotations = {} } = metadata;
  for (const owner of OWNERS) {
    const mark = [
      ...owner.labels.filter((label) => labels[label] !== undefined),
      ...owner.annotations.filter((annotation) => annotations[annotation] !== undefined),
    ][0];
    if (mark !== undefined)
      return `is applied by ${owner.name} (${mark}), which may set spec.suspend back to what its source says; change it there too`;
  }
  return undefined;
}

/**
 * Where the manifest that `kubectl apply` was given last says otherwise, the next one sets it back.
 */
export function appliedOtherwise({ metadata }: KubeObject, suspend: boolean): string | undefined {
  const applied = appliedSuspend(metadata.annotations?.[LAST_APPLIED]);
  if (applied === undefined || applied === suspend) return undefined;
  return `was applied with "suspend: ${String(applied)}"; the next kubectl apply of that manifest sets it back, so change it there too`;
}

function appliedSuspend(manifest = '{}'): boolean | undefined {
  try {
    const { spec } = JSON.parse(manifest) as { readonly spec?: { readonly suspend?: unknown } };
    return typeof spec?.suspend === 'boolean' ? spec.suspend : undefined;
  } catch {
    // The annotation is anybody's to write.
    return undefined;
  }
}
