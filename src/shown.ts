/** A longer value is not one that somebody mistyped. */
const MOST_CHARACTERS = 128;

/**
 * Where a password may begin: behind = ? or #, behind a line end that is spelled, and behind a
 * colon, unless `//`, another colon or a port follows that.
 */
const MAY_BEGIN_A_PASSWORD = /[=?#]|\\[nr]|:(?!\/\/|:|\d{1,5}(?:[:/?#\]]|$))/;

/**
 * Whatever has a second line; PEM, YAML and JSON with their line ends lost; a key as PEM has it
 * between its lines; and what may be base64 of anything, as nothing in it parts words.
 */
const OF_A_FILE =
  /[\r\n]|-----BEGIN|LS0tLS1CRUdJT|^M[A-P][A-Za-z0-9+/]{46}|^[A-Za-z0-9+][A-Za-z0-9+/]{99}|:\s|":|\\[nr].*@/;

/** People also put what a file holds where its path belongs: a key, a kubeconfig. */
export function isTextOfFile(text: string): boolean {
  return OF_A_FILE.test(text);
}

/**
 * A value as an error repeats it, in quotes: only as far as it cannot hold a password. People give
 * an address with one, or a query with a token, to the wrong flag. Of the text of a file nothing.
 */
export function shown(text: string): string {
  if (isTextOfFile(text)) return '(the text of a file or a key, not shown)';
  const named = withoutUserInfo(text);
  const match = MAY_BEGIN_A_PASSWORD.exec(named);
  const end = match ? match.index + match[0].length : named.length;
  const most = Math.min(end, MOST_CHARACTERS);
  return JSON.stringify(most < named.length ? `${named.slice(0, most)}…` : named);
}

/** Whatever stands before the last @ may be a password, however the rest is spelled. */
function withoutUserInfo(text: string): string {
  return text.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1***@');
}
