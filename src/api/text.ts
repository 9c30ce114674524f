/**
 * Cc and Cf hold every control, bidi, zero-width and soft-hyphen character; the other two are the
 * line and paragraph separators.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** One line a person can read, secrets masked, at most `limit` characters. */
export function plainLine(text: string, limit: number, mask: (text: string) => string): string {
  const line = printable(mask(text)).replace(/\s+/gu, ' ').trim();
  // A secret with a blank in it may have come together only now.
  const masked = mask(line);
  if (masked.length <= limit) return masked;
  return `${masked.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…`;
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
