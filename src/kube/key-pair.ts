import type { SecretObject } from './secrets.ts';

/** `spec.credentialsSecretRef`. */
export interface SecretRef {
  readonly name: string;
  readonly keyIdKey?: string | undefined;
  readonly keySecretKey?: string | undefined;
}

/** The two parts of an API key. */
export interface KeyPair {
  readonly keyId: string;
  readonly keySecret: string;
}

/** The key pair, or what is wrong with the Secret: never a value. */
export function keyPairIn({ type, data = {} }: SecretObject, ref: SecretRef): KeyPair | string {
  const isBasicAuth = type === 'kubernetes.io/basic-auth';
  // With more bytes the header would not fit into the 8 KiB that many servers take.
  const parts = [
    ['keyId', ref.keyIdKey ?? (isBasicAuth ? 'username' : 'keyId'), 256],
    ['keySecret', ref.keySecretKey ?? (isBasicAuth ? 'password' : 'keySecret'), 4_096],
  ] as const;
  const pair = { keyId: '', keySecret: '' };
  for (const [part, key, longest] of parts) {
    const encoded = Object.hasOwn(data, key) ? data[key] : undefined;
    if (encoded === undefined)
      return `it has no key "${key}" (its keys: ${someOf(data)}). Add it, or name another key in spec.credentialsSecretRef`;
    // White space around a value is not part of it.
    pair[part] = Buffer.from(encoded, 'base64').toString('latin1').trim();
    const problem = problemIn(pair[part], longest);
    if (problem !== undefined) return `its key "${key}" ${problem}`;
  }
  return pair.keyId.includes(':')
    ? 'the API key id contains ":", which HTTP Basic authentication does not allow. Check that id and secret are not swapped'
    : pair;
}

function problemIn(value: string, longest: number): string | undefined {
  if (value === '') return 'is empty. Copy the value from the console of the provider into it';
  if (value.length > longest)
    return `is longer than the ${longest} bytes that it may have. Copy only the value itself from the console of the provider, and check that id and secret are not swapped`;
  if (!/^[\u0020-\u007e]+$/.test(value))
    return 'contains a line break, another control character or a character outside ASCII. Store exactly the value that the console of the provider shows, on one line';
  if (/^(["']).*\1$/.test(value)) return 'has quotes around its value. Store it without them';
  return undefined;
}

/** The first few names, so that what to do about it stays in the message. */
function someOf(data: object): string {
  const names = Object.keys(data).toSorted();
  const list = names.slice(0, 5).map((name) => `"${name}"`);
  const more = names.length - list.length;
  return `${list.join(', ') || 'none'}${more > 0 ? ` and ${more} more` : ''}`;
}

/** As the README and the guides have it in their commands. */
const PLACEHOLDER = /^<.*>$|^(your|replace|new)\b.*$|^.*(placeholder|changeme|change-me).*$/i;

/** What can be seen of a key that the API has refused, without showing it. */
export function doubtAbout({ keyId, keySecret }: KeyPair): string | undefined {
  for (const [name, value] of Object.entries({ id: keyId, secret: keySecret })) {
    if (PLACEHOLDER.test(value)) return `The ${name} in the Secret looks like a placeholder`;
    if (isEncodedText(value))
      return `The ${name} in the Secret is base64 of a text: it may have been encoded twice`;
  }
  return keyId.length > keySecret.length
    ? 'The id in the Secret is longer than the secret: they may be swapped'
    : undefined;
}

/** A key of random letters decodes to bytes that nobody could print. */
function isEncodedText(value: string): boolean {
  const bytes = Buffer.from(value, 'base64');
  const isBase64 = value.length >= 12 && bytes.toString('base64') === value;
  return isBase64 && /^[\u0020-\u007e]+\s*$/.test(bytes.toString('latin1'));
}
