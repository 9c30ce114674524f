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
 * encoded pair in a text, in every spelling, base64 too.
 */
export function createMask(keyId: string, keySecret: string): (text: string) => string {
  const plain = [keyId, keySecret, `${keyId}:${keySecret}`];
  const forms = new Set([...plain, ...plain.flatMap(base64Forms)].flatMap(spellings));
  forms.delete('');
  if (forms.size === 0) return (text) => text;
  const longestFirst = [...forms].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(longestFirst.map((form) => formPattern(form)).join('|'), 'gu');
  return (text) => text.replace(pattern, MASKED);
}

function formPattern(form: string): string {
  const literal = form.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
  if (form.length >= ANYWHERE_FROM) return literal;
  return String.raw`(?<![\p{L}\p{N}_])${literal}(?![\p{L}\p{N}_])`;
}

function base64Forms(text: string): string[] {
  const standard = Buffer.from(text, 'utf8').toString('base64');
  return [standard, standard.replace(/=+$/, ''), Buffer.from(text, 'utf8').toString('base64url')];
}

/**
 * Hides all secrets that are known in each line of the log. The last defence: none should get
 * there.
 */
export interface Redactor {
  /** Looks for these in every spelling, until the function that it returns is called. */
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
    const sharing = [...(byPrefix.get(prefix) ?? []), secret];
    // The longest first: of two secrets where one begins with the other, nothing may be left over.
    byPrefix.set(
      prefix,
      sharing.toSorted((a, b) => b.length - a.length),
    );
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
      const wanted = [...new Set(secrets.flatMap(spellings))].filter(
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
    apply: (text) => (byPrefix.size === 0 ? text : redacted(text, byPrefix)),
  };
}

function redacted(text: string, byPrefix: ReadonlyMap<string, readonly string[]>): string {
  let clean = '';
  let copied = 0;
  for (let at = 0; at <= text.length - ANYWHERE_FROM; at++) {
    const sharing = byPrefix.get(text.slice(at, at + PREFIX));
    const found = sharing?.find((secret) => text.startsWith(secret, at));
    if (found === undefined) continue;
    clean += text.slice(copied, at) + REDACTED;
    copied = at + found.length;
    at = copied - 1;
  }
  return copied === 0 ? text : clean + text.slice(copied);
}

/** As it is, in JSON, and in the three ways in which a URL may have it. */
function spellings(secret: string): string[] {
  const url = encodeURIComponent(secret.toWellFormed());
  const lower = url.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  return [secret, JSON.stringify(secret).slice(1, -1), url, lower, url.replaceAll('%20', '+')];
}
