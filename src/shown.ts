/** A longer value is not one that somebody mistyped. */
const MOST_CHARACTERS = 128;

/**
 * Where a password may begin: behind = ? or #, and behind a colon, unless `//`, another colon or a
 * port follows that.
 */
const MAY_BEGIN_A_PASSWORD = /[=?#]|:(?!\/\/|:|\d{1,5}(?:[:/?#\]]|$))/;

/** More than one line, also with its ends spelled; YAML, JSON, PEM; base64 of a key or a file. */
const OF_A_FILE = /[\r\n]|\\[nr]|:\s|":|-----BEGIN|[A-Za-z0-9+/]{64}/;

/** People also put what a file holds where its path belongs: a key, a kubeconfig. */
function isTextOfFile(text: string): boolean {
  return OF_A_FILE.test(text);
}

/**
 * A value as an error repeats it, in quotes: only as far as it cannot hold a password. People give
 * an address with one, or a query with a token, to the wrong flag. Of the text of a file nothing.
 */
export function shown(text: string): string {
  if (isTextOfFile(text)) return '(the text of a file or a key, not shown)';
  // Whatever stands before the last @ may be a password, however the rest is spelled.
  const named = text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@');
  const match = MAY_BEGIN_A_PASSWORD.exec(named);
  const end = match ? match.index + match[0].length : named.length;
  const most = Math.min(end, MOST_CHARACTERS);
  return JSON.stringify(most < named.length ? `${named.slice(0, most)}…` : named);
}
