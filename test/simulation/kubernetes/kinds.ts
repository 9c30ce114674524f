import type * as z from 'zod/mini';
import { definitions } from '../../../src/kinds/definitions.ts';

/** A kind that the server knows. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /** Absent: anything is stored as it comes. */
  readonly schema?: {
    readonly spec: z.ZodMiniType;
    readonly status: z.ZodMiniType;
    readonly pendingStatus: object;
  };
}

/** The product's kinds, by the schemas of their CRDs, and what else the operator touches. */
const served: readonly ServedKind[] = [
  { group: '', version: 'v1', plural: 'secrets', kind: 'Secret' },
  { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' },
  { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event' },
  ...definitions.map(({ type, spec, status, pendingStatus }) => ({
    ...type,
    schema: { spec, status, pendingStatus },
  })),
];

/** The kind with this plural; throws RangeError where there is none. */
export function kindOf(plural: string): ServedKind {
  const found = served.find((kind) => kind.plural === plural);
  if (!found) throw new RangeError(`the simulated API server knows no ${plural}`);
  return found;
}

export function apiVersionOf({ group, version }: ServedKind): string {
  return group === '' ? version : `${group}/${version}`;
}
