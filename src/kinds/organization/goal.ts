import { sameKey, type Tuple } from './endpoints/endpoints.ts';
import type { DeclaredEndpoint, LedgerEntry, OrganizationSpec } from './resource.ts';

/** What an organization is to be brought to: the spec, or on deletion none of ours. */
export interface Goal {
  /** Absent: the name is not managed. */
  readonly name?: string;
  /** As spec lists them. Absent: endpoints are not managed, and nothing is added or removed. */
  readonly endpoints?: readonly DeclaredEndpoint[];
  readonly adopt: boolean;
  readonly mostRemovals: number;
  /** On deletion: nothing is added, all that is ours goes but for these. */
  readonly spared?: readonly Tuple[];
  /** `sameKey` of what spec lists. */
  readonly listed: ReadonlySet<string>;
  /** `sameKey` of what may stay. */
  readonly wanted: ReadonlySet<string>;
}

/** Absent `maxPrivateEndpointRemovals`. */
const MOST_REMOVALS = 5;

export function goalOf(spec: OrganizationSpec): Goal {
  const listed = new Set(spec.privateEndpoints?.map(sameKey));
  return {
    ...(spec.name !== undefined && { name: spec.name }),
    ...(spec.privateEndpoints && { endpoints: spec.privateEndpoints }),
    adopt: spec.adoptPrivateEndpoints ?? false,
    mostRemovals: spec.maxPrivateEndpointRemovals ?? MOST_REMOVALS,
    listed,
    wanted: listed,
  };
}

/** On deletion: the name is no more than a way to look, and no cap holds. */
export function cleanupGoal(spec: OrganizationSpec, spared: readonly Tuple[]): Goal {
  const wanted = new Set(spared.map(sameKey));
  return { ...goalOf(spec), mostRemovals: Number.POSITIVE_INFINITY, spared, wanted };
}

export function isListedIn({ listed }: Goal, tuple: Tuple): boolean {
  return listed.has(sameKey(tuple));
}

/** Ours may be removed; what was only found never is. */
export function isOurs({ origin }: Pick<LedgerEntry, 'origin'>): boolean {
  return origin === 'Added' || origin === 'Adopted';
}

/** Whether endpoints are added or removed at all. */
export function managesEndpoints(goal: Goal): boolean {
  return goal.endpoints !== undefined || goal.spared !== undefined;
}
