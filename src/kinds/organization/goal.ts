import { sameKey, type Tuple, tupleOf } from './endpoints.ts';
import type * as resource from './resource.ts';

/** What an organization is to be brought to: the spec, or on deletion none of ours. */
export interface Goal extends resource.OrganizationSpec {
  /** The object is being deleted: nothing is added, and all that is ours and not wanted goes. */
  readonly isCleanup: boolean;
  readonly declared: readonly resource.DeclaredEndpoint[];
  readonly mostRemovals: number;
  /** `sameKey` of what spec lists. */
  readonly listed: ReadonlySet<string>;
  /** `sameKey` of what may stay: on deletion what others list. */
  readonly wanted: ReadonlySet<string>;
}

export function goalOf(spec: resource.OrganizationSpec): Goal {
  const { privateEndpoints: declared = [], maxPrivateEndpointRemovals: mostRemovals = 5 } = spec;
  const listed = new Set(declared.map(sameKey));
  return { ...spec, isCleanup: false, declared, mostRemovals, listed, wanted: listed };
}

/** On deletion: the name is no more than a way to observe, and no cap holds. */
export function cleanupGoal(
  spec: resource.OrganizationSpec,
  listedByOthers: readonly Tuple[],
): Goal {
  const wanted = new Set(listedByOthers.map(sameKey));
  const mostRemovals = Number.POSITIVE_INFINITY;
  return { ...goalOf(spec), isCleanup: true, declared: [], mostRemovals, wanted };
}

export function isListedIn({ listed }: Goal, tuple: Tuple): boolean {
  return listed.has(sameKey(tuple));
}

export function managesEndpoints({ privateEndpoints, isCleanup }: Goal): boolean {
  return privateEndpoints !== undefined || isCleanup;
}

/** Ours may be removed; what was only found never is. */
export function isOurs({ origin }: Pick<resource.InventoryEntry, 'origin'>): boolean {
  return origin === 'Added' || origin === 'Adopted';
}

/** What is this object's, or may be. */
export function oursIn(status: resource.OrganizationStatus): Tuple[] {
  const ours = status.privateEndpoints?.filter(isOurs) ?? [];
  const known = new Set(ours.map(sameKey));
  const added = status.pendingChange?.add.filter((tuple) => !known.has(sameKey(tuple))) ?? [];
  return [...ours, ...added].map(tupleOf);
}
