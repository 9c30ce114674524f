import { isObject } from '../../api/reply/json.ts';
import { ANNOTATIONS } from '../../config/announcement.ts';
import { activityType } from '../../kinds/activity/resource.ts';
import { REQUESTED_AT } from '../../kinds/status/common-status.ts';
import type { KubeObject, ObjectMeta } from '../../kube/resource.ts';
import { OWNERS } from '../owners.ts';

/** Annotations that say something of the operator or of how an object was applied. */
const TELLING: ReadonlySet<string> = new Set([
  ...ANNOTATIONS,
  REQUESTED_AT,
  'pipewright.dev/config',
  'deployment.kubernetes.io/revision',
  ...OWNERS.flatMap(({ annotations }) => annotations),
]);
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
    .map(([name, value]) => [name, TELLING.has(name) ? value : NOT_SHOWN]);
  if (kept.length === 0) return rest;
  return { ...rest, annotations: Object.fromEntries(kept) as Record<string, string> };
}

/** What an Activity recorded names people. */
function keptStatus(kind: string, status: unknown): unknown {
  if (kind !== activityType.kind || typeof status !== 'object' || status === null) return status;
  return 'activity' in status ? { ...status, activity: NOT_SHOWN } : status;
}

/** What is named here of a thing is kept: with all below it, with some of that, or as it gives. */
export type Keep = true | ((value: unknown) => unknown) | { readonly [field: string]: Keep };

/** Only what is named; of a list of each. */
export function only(keep: Keep, value: unknown): unknown {
  if (keep === true) return value;
  if (Array.isArray(value)) return value.map((one) => only(keep, one));
  if (typeof keep === 'function') return keep(value);
  if (!isObject(value)) return undefined;
  const fields = Object.entries(keep).map(([name, below]) => {
    const one = value[name];
    return [name, one === undefined || one === null ? undefined : only(below, one)];
  });
  return Object.fromEntries(fields.filter(([, one]) => one !== undefined));
}
