import type * as z from 'zod/mini';

/**
 * What of a stored status its schema takes. A cluster with an older or laxer CRD may hold anything
 * there: a field that does not fit is left out whole, as if it had never been written. Read as it
 * is, it would break every reconcile; carried on, it would have each write refused. Every field of
 * a status is optional.
 */
export function soundStatus(schema: z.ZodMiniType): (status: unknown) => object | undefined {
  return (status) => {
    const { error } = schema.safeParse(status);
    if (typeof status !== 'object' || status === null) return undefined;
    const wrong = new Set(error?.issues.map(({ path }) => path[0]));
    const fits = Object.entries(status).filter(([name]) => !wrong.has(name));
    return schema.safeParse(Object.fromEntries(fits)).data as object | undefined;
  };
}
