import { randomBytes } from 'node:crypto';
import { type Credential, makeCredential } from '../../api/credential.ts';
import { doubtAbout, type KeyPair, keyPairIn, type SecretRef } from '../../kube/key-pair.ts';
import type { SecretRead, Secrets } from '../../kube/secrets.ts';

/** Why there is no usable API key. The message names the Secret and what to do, never a value. */
export type CredentialProblem = {
  readonly reason: 'SecretNotFound' | 'SecretInvalid' | 'SecretForbidden';
  readonly message: string;
};

/** `doubt`: what to say where the API refuses the key, see `doubtAbout`. */
export interface UsableCredential {
  readonly ok: true;
  readonly credential: Credential;
  readonly resourceVersion: string;
  readonly doubt?: string | undefined;
}

export type CredentialRead =
  | UsableCredential
  | { readonly ok: false; readonly problem: CredentialProblem; readonly resourceVersion?: string };

/** At most 5 s old, or anew. Throws KubeError where Kubernetes gives no answer. */
export type ReadCredential = (
  namespace: string,
  ref: SecretRef,
  how?: 'anew',
) => Promise<CredentialRead>;

interface Made {
  readonly read: UsableCredential;
  /** Ends the watch for the values in logs. */
  readonly unguard: () => void;
}

export interface CredentialsOptions {
  readonly secrets: Pick<Secrets, 'read' | 'forget'>;
  /** Normalised base address: a key for another API is another credential. */
  readonly baseUrl: string;
  /** Keeps these values out of logs until the function it returns is called. */
  readonly guard: (values: readonly string[]) => () => void;
}

/** Objects that share a Secret and a choice of keys share one credential. */
export function createCredentials(options: CredentialsOptions) {
  const { secrets, baseUrl, guard } = options;
  const salt = randomBytes(32);
  /** By Secret, then by the choice of keys in it. */
  const made = new Map<string, Map<string, Made>>();

  const make = (pair: KeyPair, resourceVersion: string): Made => {
    const credential = makeCredential(pair, { salt, baseUrl });
    const encoded = credential.authorization.slice('Basic '.length);
    const read = { ok: true, credential, resourceVersion, doubt: doubtAbout(pair) } as const;
    return { read, unguard: guard([pair.keySecret, encoded]) };
  };

  return {
    async read(namespace: string, ref: SecretRef, how?: 'anew'): Promise<CredentialRead> {
      const key = `${namespace}/${ref.name}`;
      const found = await secrets.read(key, how);
      if (found.state !== 'present') return { ok: false, problem: absence(found, namespace, ref) };
      const { resourceVersion, secret } = found;
      const choice = JSON.stringify([ref.keyIdKey, ref.keySecretKey]);
      const ofSecret = made.get(key) ?? new Map<string, Made>();
      const known = ofSecret.get(choice);
      if (known?.read.resourceVersion === resourceVersion) return known.read;
      const pair = keyPairIn(secret, ref);
      if (typeof pair === 'string') {
        const message = unusableSecret(ref.name, pair);
        return { ok: false, problem: { reason: 'SecretInvalid', message }, resourceVersion };
      }
      const { read, unguard } = make(pair, resourceVersion);
      known?.unguard();
      made.set(key, ofSecret.set(choice, { read, unguard }));
      return read;
    },
    /** Nobody refers to this Secret (`namespace/name`) any more. */
    forget(secret: string): void {
      for (const { unguard } of made.get(secret)?.values() ?? []) unguard();
      made.delete(secret);
      secrets.forget(secret);
    },
  };
}

function absence(
  read: Exclude<SecretRead, { state: 'present' }>,
  namespace: string,
  ref: SecretRef,
): CredentialProblem {
  if (read.state === 'forbidden') return { reason: 'SecretForbidden', message: read.message };
  return { reason: 'SecretNotFound', message: missingSecret(namespace, ref) };
}

export function missingSecret(namespace: string, { name, ...ref }: SecretRef): string {
  const keys = `${ref.keyIdKey ?? 'keyId'} and ${ref.keySecretKey ?? 'keySecret'}`;
  return `The Secret "${name}" does not exist in namespace "${namespace}". Create it with the keys ${keys}; it is used within a minute`;
}

/** `problem` as `keyPairIn` gives it. */
export function unusableSecret(name: string, problem: string): string {
  return `The Secret "${name}" cannot be used: ${problem}`;
}
