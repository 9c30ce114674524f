import type * as z from 'zod/mini';
import { cutText } from '../../controller/conditions.ts';
import type { KubeObject } from '../../kube/resource.ts';

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

/** One thing that is wrong with a spec. */
export interface SpecProblem {
  /** From `spec` down; where a field is missing, the place where it belongs. */
  readonly path: readonly PropertyKey[];
  /** A sentence without its stop, with field and value. */
  readonly message: string;
}

/**
 * A parser of stored specs, which an older schema may have let in. Unknown fields are ignored, as
 * the API server prunes them. The message names each problem with its field and value.
 */
export function specParser<Schema extends z.ZodMiniType>(schema: Schema) {
  return ({ spec }: Pick<KubeObject, 'spec'>): SpecResult<Stored<z.output<Schema>>> => {
    const { data, error } = schema.safeParse(spec);
    if (!error) return { ok: true, spec: data as Stored<z.output<Schema>> };
    return { ok: false, message: error.issues.map((issue) => problem(issue, spec)).join('; ') };
  };
}

/**
 * All that is wrong with a spec as somebody has written it. A field that the schema does not have
 * is wrong too: kubectl refuses it, and the API server would drop it.
 */
export function specProblems(schema: z.ZodMiniType, spec: unknown): readonly SpecProblem[] {
  const { data, error } = schema.safeParse(spec);
  if (error)
    return error.issues.map((issue) => ({ path: issue.path, message: problem(issue, spec) }));
  const unknown = unknownFields(spec, data, []);
  return unknown.map((path) => ({ path, message: `${fieldAt(path)} is not a known field` }));
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

function problem({ code, path, message }: z.core.$ZodIssue, spec: unknown): string {
  const value = valueAt(spec, path);
  if (value === undefined) return `${fieldAt(path)} is required`;
  if (code === 'invalid_key') return `${fieldAt(path)} ${message}`;
  const [must = '', ...advice] = message.split('; ');
  const shown = cutText(JSON.stringify(value), 64);
  return [`${fieldAt(path)} ${must}, not ${shown}`, ...advice].join('; ');
}

function fieldAt(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return `spec${steps.join('')}`;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const step of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[step];
  return value;
}
