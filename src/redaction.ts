const MASKED = '***';
const REDACTED = '[redacted]';

/**
 * From this length on a secret is found anywhere in a text. The mask finds a shorter one only where
 * it is a whole word, the redactor not at all: one of a single letter must not blank every text.
 */
const ANYWHERE_FROM = 6;
const PREFIX = 4;

/**
 * Hides one credential in what the API says: a function that replaces its id, its secret and the
 * encoded pair in a text, in every spelling, base64 too. No pattern is made of them: the error of
 * one that is too long would say the key.
 */
export function createMask(keyId: string, keySecret: string): (text: string) => string {
  const texts = [keyId, keySecret, `${keyId}:${keySecret}`];
  const forms = spelled([...texts, ...texts.flatMap(base64Forms), ...texts.flatMap(insideBase64)]);
  const byFirst = Map.groupBy(forms.toSorted(longestFirst), (form) => form.charCodeAt(0));
  return (text) =>
    replaceFound(text, MASKED, (at) =>
      byFirst.get(text.charCodeAt(at))?.find((form) => standsAt(form, text, at)),
    );
}

function standsAt(form: string, text: string, at: number): boolean {
  if (!text.startsWith(form, at)) return false;
  const end = at + form.length;
  return (
    form.length >= ANYWHERE_FROM ||
    isWord(text.slice(Math.max(0, at - 2), at), text.slice(end, end + 2))
  );
}

/** Whether what stands between these two is not a part of a longer word. */
function isWord(before: string, after: string): boolean {
  return !/[\p{L}\p{N}_]$/u.test(before) && !/^[\p{L}\p{N}_]/u.test(after);
}

function spelled(texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap(spellings))].filter((form) => form !== '');
}

function base64Forms(text: string): string[] {
  const standard = Buffer.from(text, 'utf8').toString('base64');
  return [standard, standard.replace(/=+$/, ''), Buffer.from(text, 'utf8').toString('base64url')];
}

/** What base64 of a longer text has of this one, by where in three bytes it begins. */
function insideBase64(text: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(`${' '.repeat(before)}${text}`, 'utf8');
    const whole = bytes.subarray(before === 0 ? 0 : 3, bytes.length - (bytes.length % 3));
    return whole.length < ANYWHERE_FROM
      ? []
      : [whole.toString('base64'), whole.toString('base64url')];
  });
}

/** Of two secrets where one begins with the other, nothing may be left over. */
function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

/** Replaces whatever `find` finds at a place, from left to right. */
function replaceFound(
  text: string,
  replacement: string,
  find: (at: number) => string | undefined,
): string {
  let clean = '';
  let copied = 0;
  for (let at = 0; at < text.length; at++) {
    const found = find(at);
    if (found === undefined) continue;
    clean += text.slice(copied, at) + replacement;
    copied = at + found.length;
    at = copied - 1;
  }
  return copied === 0 ? text : clean + text.slice(copied);
}

/**
 * Hides all secrets that are known in each line of the log. The last defence: none should get
 * there.
 */
export interface Redactor {
  /**
   * Looks for these in every spelling, base64 too, until the function that it returns is called.
   */
  add(secrets: readonly string[]): () => void;
  apply(text: string): string;
}

/**
 * Secrets are found by their first four characters, so that a line costs the same with one secret
 * as with thousands: one look-up per character, and none at all while there is no secret. pino's
 * own redaction goes by the path of a field, and a secret may stand in any text.
 */
export function createRedactor(): Redactor {
  const holders = new Map<string, number>();
  const byPrefix = new Map<string, string[]>();

  const remember = (secret: string): void => {
    const held = holders.get(secret) ?? 0;
    holders.set(secret, held + 1);
    if (held > 0) return;
    const prefix = secret.slice(0, PREFIX);
    byPrefix.set(prefix, [...(byPrefix.get(prefix) ?? []), secret].toSorted(longestFirst));
  };
  const forget = (secret: string): void => {
    const held = holders.get(secret) ?? 0;
    if (held > 1) return void holders.set(secret, held - 1);
    holders.delete(secret);
    const prefix = secret.slice(0, PREFIX);
    const left = (byPrefix.get(prefix) ?? []).filter((other) => other !== secret);
    if (left.length === 0) return void byPrefix.delete(prefix);
    byPrefix.set(prefix, left);
  };

  return {
    add(secrets) {
      const wanted = spelled([...secrets, ...secrets.flatMap(base64Forms)]).filter(
        ({ length }) => length >= ANYWHERE_FROM,
      );
      wanted.forEach(remember);
      let released = false;
      return () => {
        if (released) return;
        released = true;
        wanted.forEach(forget);
      };
    },
    apply: (text) =>
      byPrefix.size === 0
        ? text
        : replaceFound(text, REDACTED, (at) =>
            byPrefix
              .get(text.slice(at, at + PREFIX))
              ?.find((secret) => text.startsWith(secret, at)),
          ),
  };
}

/** As it is, in JSON, and in the three ways in which a URL may have it. */
function spellings(secret: string): string[] {
  const url = encodeURIComponent(secret.toWellFormed());
  const lower = url.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  return [secret, JSON.stringify(secret).slice(1, -1), url, lower, url.replaceAll('%20', '+')];
}
