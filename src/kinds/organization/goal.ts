import { sameKey, type Tuple, tupleOf } from './endpoints.ts';
import type {
  DeclaredEndpoint,
  InventoryEntry,
  OrganizationSpec,
  OrganizationStatus,
} from './resource.ts';

/** What an organization is to be brought to: the spec, or on deletion none of ours. */
export interface Goal {
  /** Absent: the name is not managed. */
  readonly name: string | undefined;
  /** As spec lists them. Absent: endpoints are not managed, and nothing is added or removed. */
  readonly endpoints: readonly DeclaredEndpoint[] | undefined;
  /** What has to be there; on deletion nothing. */
  readonly declared: readonly DeclaredEndpoint[];
  readonly adopt: boolean;
  readonly mostRemovals: number;
  /** The object is being deleted: nothing is added, and all that is ours and not wanted goes. */
  readonly isCleanup: boolean;
  /** `sameKey` of what spec lists. */
  readonly listed: ReadonlySet<string>;
  /** `sameKey` of what may stay: on deletion what others list. */
  readonly wanted: ReadonlySet<string>;
}

/** Absent `maxPrivateEndpointRemovals`. */
const MOST_REMOVALS = 5;

export function goalOf(spec: OrganizationSpec): Goal {
  const { name, privateEndpoints: endpoints, adoptPrivateEndpoints: adopt = false } = spec;
  const { maxPrivateEndpointRemovals: mostRemovals = MOST_REMOVALS } = spec;
  const declared = endpoints ?? [];
  const listed = new Set(declared.map(sameKey));
  const isCleanup = false;
  return { name, endpoints, declared, adopt, mostRemovals, isCleanup, listed, wanted: listed };
}

/** On deletion: the name is no more than a way to observe, and no cap holds. */
export function cleanupGoal(spec: OrganizationSpec, listedByOthers: readonly Tuple[]): Goal {
  const wanted = new Set(listedByOthers.map(sameKey));
  const mostRemovals = Number.POSITIVE_INFINITY;
  return { ...goalOf(spec), declared: [], mostRemovals, isCleanup: true, wanted };
}

export function isListedIn({ listed }: Goal, tuple: Tuple): boolean {
  return listed.has(sameKey(tuple));
}

/** Whether endpoints are added or removed at all. */
export function managesEndpoints(goal: Goal): boolean {
  return goal.endpoints !== undefined || goal.isCleanup;
}

/** Ours may be removed; what was only found never is. */
export function isOurs({ origin }: Pick<InventoryEntry, 'origin'>): boolean {
  return origin === 'Added' || origin === 'Adopted';
}

/** What is this object's, or may be. */
export function oursIn({ privateEndpoints = [], pendingChange }: OrganizationStatus): Tuple[] {
  const ours = privateEndpoints.filter(isOurs);
  const known = new Set(ours.map(sameKey));
  const added = pendingChange?.add.filter((tuple) => !known.has(sameKey(tuple))) ?? [];
  return [...ours, ...added].map(tupleOf);
}
