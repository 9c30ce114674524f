import { isDeepStrictEqual } from 'node:util';
import { immutableFields } from '../../kinds/schema/definition.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { Manifest } from '../manifests/manifests.ts';
import type { DryRun } from './dry-run.ts';
import type { Setting } from './foreseen.ts';
import { asNew } from './offline.ts';

/**
 * What the API server would store, worked out by reading alone: the spec as it is written, as if
 * nobody else had set a field of it.
 */
export function merged(
  manifest: Manifest,
  live: KubeObject | undefined,
  settingOf: (about: { readonly namespace: string }) => Setting,
): DryRun {
  const { definition, value, namespace, placeOf } = manifest;
  if (!live) return { object: asNew(manifest, settingOf({ namespace })).object };
  const before = (live.spec ?? {}) as Readonly<Record<string, unknown>>;
  const spec = (value.spec ?? {}) as Readonly<Record<string, unknown>>;
  const changed = immutableFields(definition).find(
    ({ field }) => !isDeepStrictEqual(spec[field], before[field]),
  );
  if (changed) {
    const { field, message } = changed;
    const text = `spec.${field} ${message}: it is ${JSON.stringify(before[field])} in the cluster`;
    return { problem: { place: placeOf(['spec', field]), message: text } };
  }
  const { annotations, labels } = (value.metadata ?? {}) as Partial<KubeObject['metadata']>;
  const { metadata } = live;
  const generation = (metadata.generation ?? 0) + (isDeepStrictEqual(spec, before) ? 0 : 1);
  return {
    object: {
      ...live,
      metadata: {
        ...metadata,
        generation,
        labels: { ...metadata.labels, ...labels },
        annotations: { ...metadata.annotations, ...annotations },
      },
      spec,
    },
  };
}
