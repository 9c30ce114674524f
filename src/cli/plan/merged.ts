import { isDeepStrictEqual } from 'node:util';
import { immutableFields } from '../../kinds/schema/definition.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { Manifest } from '../manifests/manifests.ts';
import type { DryRun } from './dry-run.ts';
import { newObject } from './offline.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What `kubectl apply` would have the API server store, worked out by reading alone: of what the
 * manifest lacks, that goes which the last applied one had, and the rest stays.
 */
export function merged(manifest: Manifest, live: KubeObject | undefined, now: number): DryRun {
  const { definition, value, placeOf } = manifest;
  if (!live) return { object: newObject(manifest, now) };
  const before = fieldsOf(live.spec);
  const last = lastApplied(live);
  const spec = threeWay(before, fieldsOf(last.spec), fieldsOf(value.spec));
  const changed = immutableFields(definition).find(
    ({ field }) => !isDeepStrictEqual(spec[field], before[field]),
  );
  if (changed) {
    const { field, message } = changed;
    const text = `spec.${field} ${message}: it is ${JSON.stringify(before[field])} in the cluster`;
    return { problem: { place: placeOf(['spec', field]), message: text } };
  }
  const { metadata } = live;
  const written = fieldsOf(value.metadata);
  const lastMetadata = fieldsOf(last.metadata);
  const map = (name: 'labels' | 'annotations') =>
    // The schema of metadata has texts there, which was checked as the manifest was read.
    threeWay(
      fieldsOf(metadata[name]),
      fieldsOf(lastMetadata[name]),
      fieldsOf(written[name]),
    ) as Readonly<Record<string, string>>;
  const generation = (metadata.generation ?? 0) + (isDeepStrictEqual(spec, before) ? 0 : 1);
  return {
    object: {
      ...live,
      metadata: { ...metadata, generation, labels: map('labels'), annotations: map('annotations') },
      spec,
    },
  };
}

/** Objects field by field, everything else as a whole, as kubectl does it for custom resources. */
function threeWay(live: Fields, last: Fields, now: Fields): Fields {
  const kept = Object.entries(live).filter(
    ([name]) => !(Object.hasOwn(last, name) && !Object.hasOwn(now, name)),
  );
  const set = Object.entries(now).map(([name, value]) => {
    const isInside = isFields(value) && isFields(live[name]);
    return [
      name,
      isInside ? threeWay(fieldsOf(live[name]), fieldsOf(last[name]), fieldsOf(value)) : value,
    ] as const;
  });
  return Object.fromEntries([...kept, ...set]);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** Anybody may write that annotation: what is no JSON says nothing. */
function lastApplied({ metadata }: KubeObject): Fields {
  try {
    return fieldsOf(JSON.parse(metadata.annotations?.[LAST_APPLIED] ?? '{}'));
  } catch {
    return {};
  }
}
