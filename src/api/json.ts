const DEEPEST = 64;

/**
 * Parses JSON; undefined where it is none, or nested deeper than 64, which would overflow the stack
 * of what handles the value later. A number that a double cannot hold becomes its text.
 */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]);
    return isDeep(value) ? undefined : { value };
  } catch {
    return undefined;
  }
}

function keepDigits(_key: string, value: unknown, { source }: { readonly source?: string }) {
  if (typeof value !== 'number' || source === undefined) return value;
  const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isExact ? value : source;
}

function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= DEEPEST && level.length > 0; depth++)
    level = level.flatMap((one) =>
      typeof one === 'object' && one !== null ? (Object.values(one) as unknown[]) : [],
    );
  return level.length > 0;
}

/** True for what `{…}` parses to, false for null, lists and all else. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
