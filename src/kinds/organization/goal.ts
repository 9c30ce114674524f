import type { DeclaredEndpoint, LedgerEntry, OrganizationSpec } from './resource.ts';

/** What an organization is to be brought to: the spec, or on deletion what is left of it. */
export interface Goal {
  /** Absent: the name is not managed. */
  readonly name?: string;
  /** Absent: endpoints are not managed, and nothing is added or removed. */
  readonly endpoints?: readonly DeclaredEndpoint[];
  readonly adopt: boolean;
  readonly mostRemovals: number;
  /** On deletion: the listed endpoints are spared, not added. */
  readonly only?: 'removals';
}

/** Absent `maxPrivateEndpointRemovals`. */
const MOST_REMOVALS = 5;

export function goalOf(spec: OrganizationSpec): Goal {
  return {
    ...(spec.name !== undefined && { name: spec.name }),
    ...(spec.privateEndpoints && { endpoints: spec.privateEndpoints }),
    adopt: spec.adoptPrivateEndpoints ?? false,
    mostRemovals: spec.maxPrivateEndpointRemovals ?? MOST_REMOVALS,
  };
}

/** On deletion: what this object added goes, but for what a waiting object lists; adopted endpoints are released. */
export function cleanupGoal(spared: readonly DeclaredEndpoint[]): Goal {
  return { endpoints: spared, adopt: false, mostRemovals: Number.POSITIVE_INFINITY, only: 'removals' };
}

/** Whether an endpoint is this object's, so that it may be removed. One that was only found never is. */
export function isOurs({ origin }: Pick<LedgerEntry, 'origin'>, goal: Pick<Goal, 'adopt'>): boolean {
  return origin === 'Added' || (origin === 'Adopted' && goal.adopt);
}
