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
    return {
      ok: false,
      message: result.error.issues.map((issue) => describe(issue, object.spec)).join('; '),
    };
  };
}

function describe(issue: z.core.$ZodIssue, spec: unknown): string {
  const value = valueAt(spec, issue.path);
  const at = issue.path.reduce<string>(
    (path, step) => (typeof step === 'number' ? `${path}[${step}]` : `${path}.${String(step)}`),
    'spec',
  );
  return value === undefined ? `${at} is required` : `${at} ${issue.message}, not ${shown(value)}`;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[step];
  return value;
}

function shown(value: unknown): string {
  return cutText(JSON.stringify(value), 64);
}
