const DEEPEST = 64;

/**
 * A digit run or an exponent that a double may not hold exactly; rare, so the slower reading is.
 */
const MAYBE_INEXACT = /\d{16}|\d[eE]/;

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

/**
 * Parses JSON; undefined when it is none or nested deeper than 64. A number that a double cannot
 * hold becomes its text, so that no digit is lost.
 */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  if (nestsTooDeep(text)) return undefined;
  try {
    const reviver = MAYBE_INEXACT.test(text)
      ? (keepDigits as (key: string, value: unknown) => unknown)
      : undefined;
    return { value: JSON.parse(text, reviver) as unknown };
  } catch {
    return undefined;
  }
}

const keepDigits: Reviver = (_key, value, { source }) => {
  if (typeof value !== 'number' || source === undefined) return value;
  if (!Number.isFinite(value)) return source;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value;
};

/**
 * Deep nesting parses, but overflows the stack of everything recursive that handles the value
 * later.
 */
function nestsTooDeep(text: string): boolean {
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') {
      if (++depth > DEEPEST) return true;
    } else if (char === '}' || char === ']') depth--;
  }
  return false;
}

/** True for what `{…}` parses to, false for null, lists and all else. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
