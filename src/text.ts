/**
 * Cc and Cf hold every control, bidi, zero-width and soft-hyphen character; the other two are the
 * line and paragraph separators.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

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
