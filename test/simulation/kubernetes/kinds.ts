import type * as z from 'zod/mini';
import { definitions } from '../../../src/kinds/definitions.ts';
import { toStructural } from '../../../src/kinds/schema/structural.ts';

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
  /** Fields of spec that cannot change once they are set. */
  readonly immutable: readonly string[];
  /** A PUT of one that is not there makes it. */
  readonly madeByPut?: true;
}

const BUILT_IN: readonly ServedKind[] = [
  { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', immutable: [] },
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    plural: 'leases',
    kind: 'Lease',
    immutable: [],
    madeByPut: true,
  },
  { group: 'events.k8s.io', version: 'v1', plural: 'events', kind: 'Event', immutable: [] },
];

/**
 * The three kinds of the product, by the schemas that their CRDs are made from, and what else the
 * operator touches.
 */
const servedKinds: readonly ServedKind[] = [
  ...BUILT_IN,
  ...definitions.map(({ type, spec, status, pendingStatus }) => ({
    ...type,
    schema: { spec, status, pendingStatus },
    immutable: immutableFields(spec),
  })),
];

/** By the path of their collections without a namespace: `/api/v1/secrets`. */
const byPath = new Map(servedKinds.map((kind) => [rootOf(kind) + kind.plural, kind]));

export function kindAt(root: string, plural: string): ServedKind | undefined {
  return byPath.get(root + plural);
}

/** The kind with this plural; throws RangeError where there is none. */
export function kindOf(plural: string): ServedKind {
  const found = servedKinds.find((kind) => kind.plural === plural);
  if (!found) throw new RangeError(`the simulated API server knows no ${plural}`);
  return found;
}

export function apiVersionOf({ group, version }: ServedKind): string {
  return group === '' ? version : `${group}/${version}`;
}

function rootOf({ group, version }: ServedKind): string {
  return group === '' ? `/api/${version}/` : `/apis/${group}/${version}/`;
}

/**
 * The CRD's rules are CEL, which only the API server runs; of those on a whole spec the ones on
 * immutability are read here.
 */
function immutableFields(spec: z.ZodMiniType): string[] {
  const rules = toStructural(spec)['x-kubernetes-validations'] ?? [];
  return rules.flatMap(({ rule }) => /^self\.(\w+) == oldSelf\.\1$/.exec(rule)?.[1] ?? []);
}
