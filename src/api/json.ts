const DEEPEST = 64;

/**
 * Parses JSON; undefined where it is none, or nested deeper than 64, which would overflow the stack
 * of what handles the value later.
 */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, DEEPEST) ? undefined : { value };
  } catch {
    return undefined;
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1));
}

/** True for what `{…}` parses to, false for null, lists and all else. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same JSON with every text in it masked, names too: an API may echo what it was sent. */
export function masked(value: unknown, mask: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => masked(one, mask));
  if (isObject(value)) {
    const entries = Object.entries(value).map(([name, one]) => [mask(name), masked(one, mask)]);
    return Object.fromEntries(entries);
  }
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  // A key may be of digits only, and come back as a number.
  const text = mask(String(value));
  return text === String(value) ? value : text;
}
