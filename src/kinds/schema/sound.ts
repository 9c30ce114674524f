import type * as z from 'zod/mini';

/**
 * What of a stored status its schema takes. A cluster with an older or laxer CRD may hold anything
 * there: what does not fit is left out, as if it had never been written, and the rest counts. Read
 * as it is, it would break every reconcile; carried on, it would have each write refused.
 */
export function soundStatus(schema: z.ZodMiniType): (status: unknown) => object | undefined {
  return (status) => {
    for (let rest = status; rest !== undefined; ) {
      const read = schema.safeParse(rest);
      if (read.success) return read.data as object;
      rest = without(
        rest,
        read.error.issues.map(({ path }) => path),
      );
    }
    return undefined;
  };
}

/** Far more than any spec has, and far less than comparing two of them can follow. */
const DEEPEST = 64;

/** A stored spec; undefined where it is nested so deep that comparing it overflows the stack. */
export function shallowSpec(spec: unknown): unknown {
  return nestsDeeper(spec, DEEPEST) ? undefined : spec;
}

function nestsDeeper(value: unknown, than: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return than === 0 || Object.values(value).some((member) => nestsDeeper(member, than - 1));
}

type Path = readonly PropertyKey[];

/** The value without what these paths lead to; a path to what is missing means its owner. */
function without(value: unknown, paths: readonly Path[]): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = Object.entries(value);
  const names = new Set(fields.map(([name]) => name));
  if (paths.some(([step]) => step === undefined || !names.has(String(step)))) return undefined;
  const kept = fields.flatMap(([name, member]) => {
    const inside = paths.filter(([step]) => String(step) === name).map((path) => path.slice(1));
    const rest = inside.length === 0 ? member : without(member, inside);
    return rest === undefined ? [] : [[name, rest] as const];
  });
  return Array.isArray(value) ? kept.map(([, member]) => member) : Object.fromEntries(kept);
}
