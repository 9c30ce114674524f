import { maskWhole } from './text.ts';

type Mask = (text: string) => string;

/**
 * Masks all texts but those that an object shows already, in spec or status: a declared name or a
 * private endpoint may have the key's id in it by chance, and has to be known again.
 */
export function maskFor(
  { spec, status }: { readonly spec?: unknown; readonly status?: unknown },
  mask: Mask,
): Mask {
  let shown: ReadonlySet<string> | undefined;
  return (text) => {
    const masked = maskWhole(text, mask);
    if (masked === text) return text;
    shown ??= new Set(textsIn([spec, status]));
    return shown.has(text) ? text : masked;
  };
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
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
  if (typeof value === 'string') return mask(value);
  if (typeof value === 'number') {
    // A key may be of digits only, and come back as a number.
    const text = mask(String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item) => masked(item, mask));
  return typeof value === 'object' && value !== null ? maskTexts({ ...value }, mask) : value;
}
