import { activityType } from '../../kinds/activity/resource.ts';
import type { KubeObject, ObjectMeta } from '../../kube/resource.ts';

/** Annotations that say something of the operator or of how an object was applied. */
const TELLING =
  /^(pipewright\.dev|meta\.helm\.sh|deployment\.kubernetes\.io|checksum|argocd\.argoproj\.io)\//;
/** Holds the whole object once more. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
export const NOT_SHOWN = '(not shown)';

/** An object as it goes into the bundle: what may hold anything, and what nobody reads, is out. */
export function keptOf(object: KubeObject, type: { apiVersion: string; kind: string }): KubeObject {
  const { metadata, spec, status, ...rest } = object;
  return {
    ...rest,
    apiVersion: type.apiVersion,
    kind: type.kind,
    metadata: keptMetadata(metadata),
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status: keptStatus(type.kind, status) }),
  };
}

export function keptMetadata(metadata: ObjectMeta): ObjectMeta {
  const { managedFields: _, annotations, ...rest } = metadata;
  if (!annotations) return rest;
  const kept = Object.entries(annotations)
    .filter(([name]) => name !== LAST_APPLIED)
    .map(([name, value]) => [name, TELLING.test(name) ? value : NOT_SHOWN]);
  if (kept.length === 0) return rest;
  return { ...rest, annotations: Object.fromEntries(kept) as Record<string, string> };
}

/** What an Activity recorded names people. */
function keptStatus(kind: string, status: unknown): unknown {
  if (kind !== activityType.kind || typeof status !== 'object' || status === null) return status;
  return 'activity' in status ? { ...status, activity: NOT_SHOWN } : status;
}
