type Mask = (text: string) => string;

/** The same JSON with every text in it masked, names too: an API may echo what it was called with, and status keeps what it says. */
export function maskTexts(value: Readonly<Record<string, unknown>>, mask: Mask): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [mask(name), masked(member, mask)]));
}

function masked(value: unknown, mask: Mask): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => masked(item, mask));
  return typeof value === 'object' && value !== null ? maskTexts({ ...value }, mask) : value;
}
