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
  const encoded = [...texts.flatMap(base64Forms), ...texts.flatMap(insideBase64)];
  const forms = spelled(texts, encoded);
  const byFirst = Map.groupBy(forms.toSorted(longestFirst), (form) => form.charCodeAt(0));
  return (text) =>
    replaceFound(text, MASKED, (at) => {
      const candidates = byFirst.get(text.charCodeAt(at));
      return candidates?.find((form) => standsAt(form, text, at))?.length ?? 0;
    });
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

/** Texts in every spelling, and what is base64 already, which only URLs write otherwise. */
function spelled(texts: readonly string[], encoded: readonly string[]): string[] {
  const inUrls = encoded.flatMap((one) => [one, ...urlSpellings(one)]);
  const forms = new Set([...texts.flatMap(spellings), ...inUrls]);
  forms.delete('');
  return [...forms];
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

/** Of two forms where one begins with the other, the longer one counts. */
function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

/**
 * Replaces whatever begins at a place and is so long; 0: nothing does. What overlaps goes together,
 * so that nobody's secret uncovers a part of another's.
 */
function replaceFound(text: string, replacement: string, lengthAt: (at: number) => number): string {
  let clean = '';
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const length = lengthAt(at);
    if (length === 0) continue;
    if (at >= end) clean += text.slice(end, at) + replacement;
    end = Math.max(end, at + length);
  }
  return end === 0 ? text : clean + text.slice(end);
}

/**
 * Hides all secrets that are known in the values of each line of the log. The last defence: none
 * should get there.
 */
export interface Redactor {
  /**
   * Looks for these in every spelling, base64 too, until the function that it returns is called.
   */
  add(secrets: readonly string[]): () => void;
  apply(text: string): string;
}

/**
 * Secrets are found by their first four characters and then their length, so that a line costs the
 * same with one secret as with thousands, also where they all begin alike. pino's own redaction
 * goes by the path of a field, and a secret may stand in any text.
 */
export function createRedactor(): Redactor {
  const holders = new Map<string, number>();
  /** By the first characters: the lengths there are, and how many secrets have each. */
  const lengths = new Map<string, Map<number, number>>();

  const count = (secret: string, by: number): void => {
    const prefix = secret.slice(0, PREFIX);
    const ofPrefix = lengths.get(prefix) ?? new Map<number, number>();
    const left = (ofPrefix.get(secret.length) ?? 0) + by;
    if (left > 0) ofPrefix.set(secret.length, left);
    else ofPrefix.delete(secret.length);
    if (ofPrefix.size > 0) lengths.set(prefix, ofPrefix);
    else lengths.delete(prefix);
  };
  const remember = (secret: string): void => {
    const held = holders.get(secret) ?? 0;
    holders.set(secret, held + 1);
    if (held === 0) count(secret, 1);
  };
  const forget = (secret: string): void => {
    const held = holders.get(secret) ?? 0;
    if (held > 1) return void holders.set(secret, held - 1);
    if (holders.delete(secret)) count(secret, -1);
  };
  const lengthAt = (text: string, at: number): number => {
    let longest = 0;
    for (const length of lengths.get(text.slice(at, at + PREFIX))?.keys() ?? [])
      if (length > longest && holders.has(text.slice(at, at + length))) longest = length;
    return longest;
  };

  return {
    add(secrets) {
      const wanted = spelled(secrets, secrets.flatMap(base64Forms)).filter(
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
      holders.size === 0 ? text : replaceFound(text, REDACTED, (at) => lengthAt(text, at)),
  };
}

/**
 * As it is, in JSON, in HTML, in hexadecimal digits, and in the ways in which a URL may have it. A
 * server that wants to hide a key from us can always do so; these are the ones that mean well.
 */
function spellings(secret: string): string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const hex = Buffer.from(secret, 'utf8').toString('hex');
  return [
    secret,
    inJson,
    inJson.replaceAll('/', String.raw`\/`),
    inJson.replace(/[<>&]/g, escapedAsGoDoes),
    ...HTML.map((more) => asHtml(secret, more)),
    hex,
    hex.toUpperCase(),
    ...urlSpellings(secret),
  ];
}

function urlSpellings(text: string): string[] {
  const url = encodeURIComponent(text.toWellFormed());
  const strict = url.replace(/[!'()*]/g, percent);
  const form = new URLSearchParams([['', text]]).toString().slice(1);
  return [url, strict, form].flatMap((one) => {
    const inLower = one.replace(/%[0-9A-F]{2}/g, lower);
    return [one, inLower, one.replaceAll('%20', '+'), inLower.replaceAll('%20', '+')];
  });
}

const lower = (text: string): string => text.toLowerCase();
const codeOf = (character: string): string => character.charCodeAt(0).toString(16);
const percent = (character: string): string => `%${codeOf(character).toUpperCase()}`;
const escapedAsGoDoes = (character: string): string => String.raw`\u00${codeOf(character)}`;

/** What libraries escape there, each in its own way, beside the first three that all do. */
const HTML: readonly Readonly<Record<string, string>>[] = [
  {},
  { '"': '&quot;', "'": '&#39;' },
  { '"': '&quot;', "'": '&#x27;' },
  { '"': '&quot;', "'": '&apos;' },
  { '"': '&#34;', "'": '&#39;' },
  { '"': '&#34;', "'": '&#39;', '+': '&#43;' },
  { '"': '&quot;', "'": '&#39;', '/': '&#x2F;', '`': '&#x60;', '=': '&#x3D;' },
  { '"': '&quot;', "'": '&#x27;', '`': '&#x60;', '=': '&#x3D;' },
];

function asHtml(text: string, more: Readonly<Record<string, string>>): string {
  const written = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return written.replace(/["'+/`=]/g, (character) => more[character] ?? character);
}
