/** A longer value is not one that somebody mistyped. */
const MOST_CHARACTERS = 128;

/**
 * Where a password may begin: behind = ? or #, and behind a colon, unless `//`, another colon or a
 * port follows that.
 */
const MAY_BEGIN_A_PASSWORD = /[=?#]|:(?!\/\/|:|\d{1,5}(?:[:/?#\]]|$))/;

/**
 * A value as an error repeats it, in quotes: only as far as it cannot hold a password. People give
 * an address with one, or a query with a token, to the wrong flag.
 */
export function shown(text: string): string {
  const named = withoutUserInfo(text);
  const match = MAY_BEGIN_A_PASSWORD.exec(named);
  const end = match ? match.index + 1 : named.length;
  const most = Math.min(end, MOST_CHARACTERS);
  return JSON.stringify(most < named.length ? `${named.slice(0, most)}…` : named);
}

/** Whatever stands before the last @ may be a password, however the rest is spelled. */
function withoutUserInfo(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@');
}
