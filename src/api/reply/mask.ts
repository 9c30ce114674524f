const MASKED = '***';

/**
 * Below this length a form is replaced only where it stands as a whole word: a one-letter secret
 * must not blank every text.
 */
const ANYWHERE_FROM = 6;

/**
 * Returns a function that hides the key id, the secret and the encoded pair in a text, plain,
 * base64 and URL-encoded.
 */
export function createMask(keyId: string, keySecret: string): (text: string) => string {
  const pair = `${keyId}:${keySecret}`;
  const plain = [keyId, keySecret, pair];
  const encoded = plain.flatMap((text) => base64Forms(text));
  const forms = new Set([...plain, ...encoded].flatMap((text) => [text, ...urlForms(text)]));
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

function urlForms(text: string): string[] {
  const encoded = encodeURIComponent(text.toWellFormed());
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  return [encoded, lower, encoded.replaceAll('%20', '+')];
}
