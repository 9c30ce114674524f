import type { Condition } from './scene-objects.ts';

/** What kstatus, Flux and Argo CD make of an object. */
export type Verdict = 'Current' | 'InProgress' | 'Failed' | 'Terminating';

/**
 * The rules of kstatus for objects with conditions, in its order. No `Ready` at all counts as
 * Current, which is why the CRD has a default.
 */
export function kstatus(object: {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}): Verdict {
  const { metadata, status } = object;
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  const observed = status?.observedGeneration;
  if (observed !== undefined && observed !== metadata.generation) return 'InProgress';
  const is = (type: string): string | undefined =>
    status?.conditions?.find((condition) => condition.type === type)?.status;
  if (is('Reconciling') === 'True') return 'InProgress';
  if (is('Stalled') === 'True') return 'Failed';
  return is('Ready') === undefined || is('Ready') === 'True' ? 'Current' : 'InProgress';
}
