import { createHash, randomBytes } from 'node:crypto';
import type { Credential } from '../../api/http/client.ts';
import type { SecretRead, SecretValue } from '../../kube/secrets/secret-state.ts';
import type { Secrets } from '../../kube/secrets/secrets.ts';
import { createMask } from '../../redaction.ts';

/** `spec.credentialsSecretRef`. */
export interface SecretRef {
  readonly name: string;
  readonly keyIdKey?: string | undefined;
  readonly keySecretKey?: string | undefined;
}

/** Why there is no usable API key. The message names the Secret and what to do, never a value. */
export type CredentialProblem = {
  readonly reason: 'SecretNotFound' | 'SecretInvalid' | 'SecretForbidden';
  readonly message: string;
};

export type CredentialRead =
  | { readonly ok: true; readonly credential: Credential; readonly resourceVersion: string }
  | { readonly ok: false; readonly problem: CredentialProblem; readonly resourceVersion?: string };

export interface Credentials {
  /**
   * Reads the API key an object refers to. Throws KubeError only where Kubernetes itself gave no
   * usable answer.
   */
  readonly read: ReadCredential;
  /** Drops what was made of a Secret (`namespace/name`): it has changed or is gone. */
  forget(secret: string): void;
}

export type ReadCredential = (namespace: string, ref: SecretRef) => Promise<CredentialRead>;

/**
 * Choices of keys of one Secret that are kept. Objects that share a Secret mostly share a choice
 * too; every edit of a spec may be another.
 */
const KEPT_CHOICES = 16;

/** In bytes: with more, the header would not fit into the 8 KiB that many servers take. */
const LONGEST = { keyId: 256, keySecret: 4096 };

type Usable = Extract<CredentialRead, { ok: true }>;

interface Made {
  readonly read: Usable;
  /** Ends the watch for the values in logs. */
  readonly unguard: () => void;
}

export interface CredentialsOptions {
  readonly secrets: Pick<Secrets, 'read' | 'isReferred'>;
  /** Normalised base address: a key for another API is another credential. */
  readonly baseUrl: string;
  /** Keeps these values out of logs until the function it returns is called. */
  readonly guard: (values: readonly string[]) => () => void;
  /**
   * A Secret that this process has read before, or missed, was written since: whatever is known of
   * this credential may be over.
   */
  readonly onRenewed?: (credential: string) => void;
}

/**
 * Objects that share a Secret and a choice of keys share one credential, until `forget`; the last
 * 16 choices of a Secret are kept.
 */
export function createCredentials(options: CredentialsOptions): Credentials {
  const salt = randomBytes(32);
  const made = new Map<string, Map<string, Made>>();
  /**
   * How each referred Secret was found first: its version, or that there was none. A process that
   * starts knows of no change.
   */
  const firstFound = new Map<string, string>();

  const keep = (key: string, choice: string, read: Usable, values: readonly string[]): void => {
    const ofSecret = made.get(key) ?? new Map<string, Made>();
    ofSecret.get(choice)?.unguard();
    ofSecret.delete(choice);
    made.set(key, ofSecret.set(choice, { read, unguard: options.guard(values) }));
    const [oldest] = ofSecret;
    if (ofSecret.size <= KEPT_CHOICES || !oldest) return;
    oldest[1].unguard();
    ofSecret.delete(oldest[0]);
  };

  /** What was made of this choice before; it was used last from now on. */
  const find = (key: string, choice: string): Usable | undefined => {
    const ofSecret = made.get(key);
    const known = ofSecret?.get(choice);
    if (!ofSecret || !known) return undefined;
    ofSecret.delete(choice);
    ofSecret.set(choice, known);
    return known.read;
  };

  return {
    async read(namespace, ref) {
      const secret = await options.secrets.read(namespace, ref.name, keysOf(ref));
      if (secret.state === 'failed') throw secret.error;
      const key = `${namespace}/${ref.name}`;
      const isReferred = options.secrets.isReferred(namespace, ref.name);
      const found = secret.state === 'present' ? secret.resourceVersion : secret.state;
      if (isReferred && found !== 'forbidden' && !firstFound.has(key)) firstFound.set(key, found);
      if (secret.state !== 'present')
        return { ok: false, problem: absence(secret, namespace, ref.name) };
      const { resourceVersion } = secret;
      const choice = JSON.stringify([ref.keyIdKey, ref.keySecretKey]);
      const known = find(key, choice);
      if (known?.resourceVersion === resourceVersion) return known;
      const pair = keyPair(secret, ref);
      if (typeof pair === 'string') {
        const message = unusableSecret(ref.name, pair);
        return { ok: false, problem: { reason: 'SecretInvalid', message }, resourceVersion };
      }
      const credential = makeCredential(pair, { salt, baseUrl: options.baseUrl });
      const read: Usable = { ok: true, credential, resourceVersion };
      // Nobody would say when to forget it.
      if (!isReferred) return read;
      if (firstFound.get(key) !== resourceVersion) options.onRenewed?.(credential.id);
      keep(key, choice, read, [pair.keySecret, credential.authorization.slice('Basic '.length)]);
      return read;
    },
    forget(secret) {
      for (const { unguard } of made.get(secret)?.values() ?? []) unguard();
      made.delete(secret);
      const [namespace = '', name = ''] = secret.split('/');
      if (!options.secrets.isReferred(namespace, name)) firstFound.delete(secret);
    },
  };
}

const BASIC_AUTH = 'kubernetes.io/basic-auth';
const BASIC_AUTH_KEYS = { keyId: 'username', keySecret: 'password' };
const USUAL_KEYS = { keyId: 'keyId', keySecret: 'keySecret' };

/** The keys of a Secret of this type in which the two parts of an API key are. */
function keyNames(
  { keyIdKey, keySecretKey }: SecretRef,
  type: string | undefined,
): { readonly keyId: string; readonly keySecret: string } {
  const usual = type === BASIC_AUTH ? BASIC_AUTH_KEYS : USUAL_KEYS;
  return { keyId: keyIdKey ?? usual.keyId, keySecret: keySecretKey ?? usual.keySecret };
}

/** The keys that may be used; which of them are is known with the type of the Secret. */
export function keysOf({ keyIdKey, keySecretKey }: SecretRef): string[] {
  return [
    ...(keyIdKey === undefined ? [USUAL_KEYS.keyId, BASIC_AUTH_KEYS.keyId] : [keyIdKey]),
    ...(keySecretKey === undefined
      ? [USUAL_KEYS.keySecret, BASIC_AUTH_KEYS.keySecret]
      : [keySecretKey]),
  ];
}

function absence(
  read: Exclude<SecretRead, { state: 'present' | 'failed' }>,
  namespace: string,
  name: string,
): CredentialProblem {
  if (read.state === 'forbidden') return { reason: 'SecretForbidden', message: read.message };
  const message = `The Secret "${name}" does not exist in namespace "${namespace}". Create it with the id and the secret of the API key; the operator continues at once`;
  return { reason: 'SecretNotFound', message };
}

/** The credential of one that is read once, or what is wrong with it: never a value. */
export function credentialIn(
  read: SecretValue,
  ref: SecretRef,
  baseUrl: string,
): { readonly credential: Credential } | { readonly problem: string } {
  const pair = keyPair(read, ref);
  return typeof pair === 'string'
    ? { problem: pair }
    : { credential: makeCredential(pair, { salt: randomBytes(32), baseUrl }) };
}

/** `problem` as `credentialIn` gives it. */
export function unusableSecret(name: string, problem: string): string {
  return `The Secret "${name}" cannot be used: ${problem}`;
}

interface KeyPair {
  readonly keyId: string;
  readonly keySecret: string;
}

/** The key pair, or what is wrong with the Secret. */
function keyPair(read: SecretValue, ref: SecretRef): KeyPair | string {
  const names = keyNames(ref, read.type);
  const keyId = part(read, names.keyId, LONGEST.keyId);
  const keySecret = part(read, names.keySecret, LONGEST.keySecret);
  if ('problem' in keyId) return keyId.problem;
  if ('problem' in keySecret) return keySecret.problem;
  if (keyId.value.includes(':'))
    return 'the API key id contains ":", which HTTP Basic authentication does not allow. Check that id and secret are not swapped';
  return { keyId: keyId.value, keySecret: keySecret.value };
}

/**
 * One value: decoded, line ends at its end taken off, refused when nothing or something unprintable
 * is left.
 */
function part(
  secret: SecretValue,
  key: string,
  longest: number,
): { readonly value: string } | { readonly problem: string } {
  const encoded = Object.hasOwn(secret.data, key) ? secret.data[key] : undefined;
  if (encoded === undefined) {
    return {
      problem: `it has no key "${key}" (its keys: ${someNames(secret)}). Add it, or name another key in spec.credentialsSecretRef`,
    };
  }
  const bytes = Buffer.from(encoded, 'base64');
  const value = withoutLineEnds(bytes.toString('latin1'));
  if (value === '')
    return {
      problem: `its key "${key}" is empty. Copy the value from the console of the provider into it`,
    };
  if (value.length > longest) {
    return {
      problem: `its key "${key}" is longer than the ${longest} bytes that it may have. Copy only the value itself from the console of the provider, and check that id and secret are not swapped`,
    };
  }
  if (!/^[\u0020-\u007e]+$/.test(value)) {
    return {
      problem: `its key "${key}" contains control characters or characters outside ASCII. Copy the value again without line breaks or quotes`,
    };
  }
  return { value };
}

function withoutLineEnds(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\n' || text[end - 1] === '\r') end -= 1;
  return text.slice(0, end);
}

/** The first few names, so that what to do about it stays in the message. */
function someNames({ keyNames, keyCount }: SecretValue): string {
  if (keyCount === 0) return 'none';
  const named = keyNames.map((name) => `"${name}"`).join(', ');
  const more = keyCount - keyNames.length;
  return more > 0 ? `${named} and ${more} more` : named;
}

const WITHHELD = '[withheld: it could not be searched for the key]';

/**
 * `id` tells credentials apart for pacing without saying anything about them: same key, same
 * secret, same API.
 */
function makeCredential(
  pair: KeyPair,
  options: { readonly salt: Buffer; readonly baseUrl: string },
): Credential {
  const { keyId, keySecret } = pair;
  const encoded = Buffer.from(`${keyId}:${keySecret}`).toString('base64');
  const id = createHash('sha256')
    .update(options.salt)
    .update(JSON.stringify([keyId, keySecret, options.baseUrl]))
    .digest('hex')
    .slice(0, 16);
  let mask: ((text: string) => string) | undefined;
  const maskText = (text: string): string => {
    try {
      mask ??= createMask(keyId, keySecret);
      return mask(text);
    } catch {
      // The error may say the key, and so may the text.
      return WITHHELD;
    }
  };
  return { id, authorization: `Basic ${encoded}`, mask: maskText };
}
