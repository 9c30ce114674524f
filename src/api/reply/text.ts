/**
 * Cc and Cf hold every control, bidi, zero-width and soft-hyphen character; the other two are the
 * line and paragraph separators.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/**
 * One line a person can read: unprintable characters become blanks, secrets are masked, at most
 * `limit` code points.
 */
export function plainLine(text: string, limit: number, mask: (text: string) => string): string {
  const masked = mask(printable(text));
  const line = oneLine(masked).trim();
  // A secret with a blank in it may have come together only now.
  return cutTo(line === masked ? line : mask(line), limit);
}

/** The text as one line that cannot steer a terminal; nothing else about it is changed. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, ' ');
}

/**
 * The text with an escape, as JSON reads it, for each of them but the ends of lines. They must
 * stand in quotes. Above U+FFFF that is two halves, which not every reader of YAML takes.
 */
export function withEscapes(text: string): string {
  return text.replace(UNPRINTABLE, (character) =>
    character === '\n' ? character : character.split('').map(escapeOf).join(''),
  );
}

function escapeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Masks what stands in a text as it is, or would stand there once it is made one line. */
export function maskWhole(text: string, mask: (text: string) => string): string {
  const masked = mask(text);
  const line = oneLine(masked);
  const again = line === masked ? line : mask(line);
  return again === line ? masked : again;
}

function oneLine(text: string): string {
  return printable(text).replace(/\s+/gu, ' ');
}

/** At most `limit` printable ASCII characters without blanks; undefined when none is left. */
export function plainToken(
  text: string,
  limit: number,
  mask: (text: string) => string,
): string | undefined {
  return mask(mask(text).replace(/[^\x21-\x7e]/g, '')).slice(0, limit) || undefined;
}

function cutTo(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const points = Array.from(text.slice(0, 2 * limit));
  if (points.length <= limit && text.length <= 2 * limit) return text;
  return `${points.slice(0, limit - 1).join('')}…`;
}
