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

/** Of an object that was found to be valid before. */
export function specOf<Spec>(parsed: SpecResult<Spec>): Spec {
  if (parsed.ok) return parsed.spec;
  throw new Error(`a spec that was found valid is not: ${parsed.message}`);
}

/** A sentence without its stop, with field and value. */
export function problem({ code, path, message }: z.core.$ZodIssue, spec: unknown): string {
  const value = valueAt(spec, path);
  if (value === undefined) return `${fieldAt(path)} is required`;
  if (code === 'invalid_key') return `${fieldAt(path)} ${message}`;
  return `${fieldAt(path)} is ${cutText(JSON.stringify(value), 64)}; it ${message}`;
}

export function fieldAt(path: readonly PropertyKey[]): string {
  const steps = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`));
  return `spec${steps.join('')}`;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  type Parent = Readonly<Record<PropertyKey, unknown>> | undefined;
  return path.reduce<unknown>((value, step) => (value as Parent)?.[step], root);
}

/**
 * What of a stored status its schema takes. A cluster with an older or laxer CRD may hold anything
 * there: a field that does not fit is left out whole, as if it had never been written. Read as it
 * is, it would break every reconcile; carried on, it would have each write refused.
 */
export function soundStatus(schema: z.ZodMiniType): (status: unknown) => object | undefined {
  return (status) => {
    const { data, error } = schema.safeParse(status);
    if (!error) return data as object | undefined;
    if (typeof status !== 'object' || status === null) return undefined;
    const wrong = new Set(error.issues.map(({ path }) => path[0]));
    const rest = Object.entries(status).filter(([name]) => !wrong.has(name));
    return schema.safeParse(Object.fromEntries(rest)).data as object | undefined;
  };
}
