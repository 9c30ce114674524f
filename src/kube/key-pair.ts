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

/** In bytes: with more, the header would not fit into the 8 KiB that many servers take. */
const LONGEST = { keyId: 256, keySecret: 4096 };

/** How many keys of a Secret a message names. */
const NAMED_KEYS = 5;

const BASIC_AUTH = 'kubernetes.io/basic-auth';
const BASIC_AUTH_KEYS = { keyId: 'username', keySecret: 'password' };
const USUAL_KEYS = { keyId: 'keyId', keySecret: 'keySecret' };

/** The key pair, or what is wrong with the Secret: never a value. */
export function keyPairIn(secret: SecretObject, ref: SecretRef): KeyPair | string {
  const usual = secret.type === BASIC_AUTH ? BASIC_AUTH_KEYS : USUAL_KEYS;
  const keyId = partOf(secret, ref.keyIdKey ?? usual.keyId, LONGEST.keyId);
  const keySecret = partOf(secret, ref.keySecretKey ?? usual.keySecret, LONGEST.keySecret);
  if ('problem' in keyId) return keyId.problem;
  if ('problem' in keySecret) return keySecret.problem;
  if (keyId.value.includes(':'))
    return 'the API key id contains ":", which HTTP Basic authentication does not allow. Check that id and secret are not swapped';
  return { keyId: keyId.value, keySecret: keySecret.value };
}

/** One value, without the white space around it. */
function partOf(
  { data = {} }: SecretObject,
  key: string,
  longest: number,
): { readonly value: string } | { readonly problem: string } {
  const encoded = Object.hasOwn(data, key) ? data[key] : undefined;
  if (encoded === undefined) {
    return {
      problem: `it has no key "${key}" (its keys: ${someNames(Object.keys(data))}). Add it, or name another key in spec.credentialsSecretRef`,
    };
  }
  const value = Buffer.from(encoded, 'base64').toString('latin1').trim();
  const problem = problemIn(value, longest);
  return problem === undefined ? { value } : { problem: `its key "${key}" ${problem}` };
}

function problemIn(value: string, longest: number): string | undefined {
  if (value === '') return 'is empty. Copy the value from the console of the provider into it';
  if (value.length > longest)
    return `is longer than the ${longest} bytes that it may have. Copy only the value itself from the console of the provider, and check that id and secret are not swapped`;
  if (!/^[\u0020-\u007e]+$/.test(value))
    return 'contains control characters or characters outside ASCII. Copy the value again without line breaks';
  if (/^(["']).*\1$/.test(value)) return 'has quotes around its value. Store it without them';
  return undefined;
}

/** The first few names, so that what to do about it stays in the message. */
function someNames(names: readonly string[]): string {
  if (names.length === 0) return 'none';
  const named = names.toSorted().slice(0, NAMED_KEYS);
  const more = names.length - named.length;
  const list = named.map((name) => `"${name}"`).join(', ');
  return more > 0 ? `${list} and ${more} more` : list;
}

/** As the README and the guides have it in their commands. */
const PLACEHOLDER = /^<.*>$|^(your|replace|new)\b.*$|^.*(placeholder|changeme|change-me).*$/i;

/**
 * What can be seen of a key that the API has refused, without showing it; undefined where it looks
 * like any other.
 */
export function doubtAbout({ keyId, keySecret }: KeyPair): string | undefined {
  const parts = [
    ['id', keyId],
    ['secret', keySecret],
  ] as const;
  for (const [name, value] of parts) {
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
  if (value.length < 12 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value) || value.length % 4 !== 0)
    return false;
  return /^[\u0020-\u007e]+\s*$/.test(Buffer.from(value, 'base64').toString('latin1'));
}
