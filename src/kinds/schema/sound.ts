import type * as z from 'zod/mini';

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
