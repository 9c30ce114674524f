import type * as z from 'zod/mini';
import { cutText } from '../../controller/conditions.ts';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';

/** A column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly path: string;
  /** `date` shows an age, and `<invalid>` for what is yet to come: use text for that. */
  readonly type?: 'string' | 'date';
  /** Only with `-o wide`. */
  readonly wide?: true;
  readonly about: string;
}

const condition = (type: string) => `.status.conditions[?(@.type=="${type}")]`;

/** Columns that every kind has, and `lastApplied` those that write. */
export const COLUMNS = {
  reason: {
    name: 'Reason',
    path: `${condition('Ready')}.reason`,
    about: 'Why it is ready or not, in one word.',
  },
  stalled: {
    name: 'Stalled',
    path: `${condition('Stalled')}.status`,
    about: 'True where a person must act. Empty where the operator continues by itself.',
  },
  lastApplied: {
    name: 'Last Applied',
    path: '.status.applied.time',
    type: 'date',
    about: 'Time since the API last confirmed the declared state.',
  },
  organization: {
    name: 'Organization',
    path: '.spec.organizationId',
    wide: true,
    about: 'Id of the organization.',
  },
  requestId: {
    name: 'Request ID',
    path: '.status.lastRequest.requestId',
    wide: true,
    about: 'The requestId of the last response.',
  },
  nextAttempt: {
    name: 'Next Attempt',
    path: '.status.nextAttemptTime',
    wide: true,
    about: 'When the operator next acts by itself.',
  },
  message: {
    name: 'Message',
    path: `${condition('Ready')}.message`,
    wide: true,
    about: 'What happened and what to do.',
  },
} as const satisfies Readonly<Record<string, Column>>;

export function readyColumn(about: string): Column {
  return { name: 'Ready', path: `${condition('Ready')}.status`, about };
}

export function ageColumn(about: string): Column {
  return { name: 'Age', path: '.metadata.creationTimestamp', type: 'date', about };
}

/** All that a kind's CRD is made from. */
export interface Definition {
  readonly type: ResourceType;
  readonly singular: string;
  readonly shortName: string;
  readonly about: string;
  readonly spec: z.ZodMiniType;
  readonly status: z.ZodMiniType;
  /** What `status` is before the first reconcile. */
  readonly pendingStatus: object;
  readonly columns: readonly Column[];
  /** JSON paths that field selectors may name. */
  readonly selectableFields: readonly string[];
}

/** A value that belongs to the store: read, never changed in place. */
export type Stored<Value> = Value extends readonly (infer Item)[]
  ? readonly Stored<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: Stored<Value[Key]> }
    : Value;

/** A stored spec as today's schema reads it, or why it cannot. */
export type SpecResult<Spec> =
  | { readonly ok: true; readonly spec: Spec }
  | { readonly ok: false; readonly message: string };

/**
 * A parser of stored specs, which an older schema may have let in. Unknown fields are ignored, as
 * the API server prunes them. The message names each problem with its field and value.
 */
export function specParser<Schema extends z.ZodMiniType>(schema: Schema) {
  return (object: Pick<KubeObject, 'spec'>): SpecResult<Stored<z.output<Schema>>> => {
    const result = schema.safeParse(object.spec);
    if (result.success) return { ok: true, spec: result.data as Stored<z.output<Schema>> };
    const problems = result.error.issues.map((issue) => describe(issue, object.spec));
    return { ok: false, message: problems.join('; ') };
  };
}

/** One thing that is wrong with a spec. */
export interface SpecProblem {
  /** From `spec` down; where a field is missing, the place where it belongs. */
  readonly path: readonly PropertyKey[];
  /** A sentence without its stop, with field and value. */
  readonly message: string;
}

/**
 * All that is wrong with a spec as somebody has written it. A field that the schema does not have
 * is wrong too: kubectl refuses it, and the API server would drop it.
 */
export function specProblems(schema: z.ZodMiniType, spec: unknown): readonly SpecProblem[] {
  const result = schema.safeParse(spec);
  const wrong = (result.error?.issues ?? []).map((issue) => ({
    path: issue.path,
    message: describe(issue, spec),
  }));
  const unknown = result.success ? unknownFields(spec, result.data, []) : [];
  return [
    ...wrong,
    ...unknown.map((path) => ({ path, message: `${fieldAt(path)} is not a known field` })),
  ];
}

/** What a parser has left out. */
function unknownFields(
  given: unknown,
  taken: unknown,
  at: readonly PropertyKey[],
): (readonly PropertyKey[])[] {
  if (typeof given !== 'object' || given === null) return [];
  const kept = (taken ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(given).flatMap(([name, value]) => {
    const path = [...at, Array.isArray(given) ? Number(name) : name];
    return Object.hasOwn(kept, name) ? unknownFields(value, kept[name], path) : [path];
  });
}

function describe(issue: z.core.$ZodIssue, spec: unknown): string {
  const value = valueAt(spec, issue.path);
  const at = fieldAt(issue.path);
  return value === undefined ? `${at} is required` : `${at} ${issue.message}, not ${shown(value)}`;
}

function fieldAt(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (before, step) =>
      typeof step === 'number' ? `${before}[${step}]` : `${before}.${String(step)}`,
    'spec',
  );
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[step];
  return value;
}

function shown(value: unknown): string {
  return cutText(JSON.stringify(value), 64);
}
