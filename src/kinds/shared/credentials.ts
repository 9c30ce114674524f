import { randomBytes } from 'node:crypto';
import { type Credential, makeCredential } from '../../api/credential.ts';
import { doubtAbout, keyPairIn, keysOf, type SecretRef } from '../../kube/secrets/key-pair.ts';
import type { SecretRead } from '../../kube/secrets/secret-state.ts';
import type { Secrets } from '../../kube/secrets/secrets.ts';

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

/** Throws KubeError only where Kubernetes itself gave no usable answer. */
export type ReadCredential = (namespace: string, ref: SecretRef) => Promise<CredentialRead>;

interface Made {
  readonly read: UsableCredential;
  /** Ends the watch for the values in logs. */
  readonly unguard: () => void;
}

export interface CredentialsOptions {
  readonly secrets: Pick<Secrets, 'read' | 'isReferred'>;
  /** Normalised base address: a key for another API is another credential. */
  readonly baseUrl: string;
  /** Keeps these values out of logs until the function it returns is called. */
  readonly guard: (values: readonly string[]) => () => void;
  /** A Secret that was read before, or missed, was written since: its key may work again. */
  readonly onRenewed?: (credential: string) => void;
}

/** Objects that share a Secret and a choice of keys share one credential, until `forget`. */
export function createCredentials(options: CredentialsOptions) {
  const salt = randomBytes(32);
  const made = new Map<string, Map<string, Made>>();
  /** The version in which each referred Secret was found first: a start is no change. */
  const firstFound = new Map<string, string>();

  return {
    async read(namespace: string, ref: SecretRef): Promise<CredentialRead> {
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
      const ofSecret = made.get(key) ?? new Map<string, Made>();
      const known = ofSecret.get(choice);
      if (known?.read.resourceVersion === resourceVersion) return known.read;
      const pair = keyPairIn(secret, ref);
      if (typeof pair === 'string') {
        const message = unusableSecret(ref.name, pair);
        return { ok: false, problem: { reason: 'SecretInvalid', message }, resourceVersion };
      }
      const credential = makeCredential(pair, { salt, baseUrl: options.baseUrl });
      const doubt = doubtAbout(pair);
      const read = { ok: true, credential, resourceVersion, doubt } as const;
      // Nobody would say when to forget it.
      if (!isReferred) return read;
      if (firstFound.get(key) !== resourceVersion) options.onRenewed?.(credential.id);
      const encoded = credential.authorization.slice('Basic '.length);
      known?.unguard();
      const unguard = options.guard([pair.keySecret, encoded]);
      made.set(key, ofSecret.set(choice, { read, unguard }));
      return read;
    },
    /** A Secret (`namespace/name`) has changed or is gone, or nobody refers to it any more. */
    forget(secret: string): void {
      for (const { unguard } of made.get(secret)?.values() ?? []) unguard();
      made.delete(secret);
      const [namespace = '', name = ''] = secret.split('/');
      if (!options.secrets.isReferred(namespace, name)) firstFound.delete(secret);
    },
  };
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

/** `problem` as `keyPairIn` gives it. */
export function unusableSecret(name: string, problem: string): string {
  return `The Secret "${name}" cannot be used: ${problem}`;
}
