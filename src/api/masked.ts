import { isObject } from './json.ts';

type Mask = (text: string) => string;

/**
 * Masks all texts but those that an object shows already, in spec or status: a declared name or a
 * private endpoint may have the key's id in it by chance, and has to be known again.
 */
export function maskFor(
  { spec, status }: { readonly spec?: unknown; readonly status?: unknown },
  mask: Mask,
): Mask {
  return (text) => {
    const masked = mask(text);
    return masked === text || textsIn([spec, status]).includes(text) ? text : masked;
  };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/**
 * The same JSON with every text in it masked, names too: an API may echo what it was called with,
 * and status keeps what it says.
 */
export function maskTexts(
  value: Readonly<Record<string, unknown>>,
  mask: Mask,
): Record<string, unknown> {
  const entries = Object.entries(value).map(([name, one]) => [mask(name), masked(one, mask)]);
  return Object.fromEntries(entries);
}

function masked(value: unknown, mask: Mask): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item, mask));
  if (isObject(value)) return maskTexts(value, mask);
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  // A key may be of digits only, and come back as a number.
  const text = mask(String(value));
  return text === String(value) ? value : text;
}
