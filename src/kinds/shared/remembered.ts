import { KubeError } from '../../kube/client/kube-error.ts';
import { type KubeObject, keyOf } from '../../kube/resource.ts';
import type { SecretRef } from '../../kube/secrets/key-pair.ts';
import type { CredentialRead, ReadCredential, UsableCredential } from './credentials.ts';

/**
 * The last usable API key of each object that has something to clean up. A namespace that is
 * deleted takes the Secret first, often in the middle of a cleanup.
 */
export class Remembered {
  readonly #last = new Map<string, UsableCredential>();
  readonly #read: ReadCredential;

  constructor(read: ReadCredential) {
    this.#read = read;
  }

  /** Reads the key; while the object is being deleted, the last one that was usable serves too. */
  async read(object: KubeObject, ref: SecretRef): Promise<CredentialRead> {
    const read = await this.#read(object.metadata.namespace, ref);
    if (read.ok || object.metadata.deletionTimestamp === undefined) return read;
    return this.#last.get(keyOf(object)) ?? read;
  }

  /** `read` was usable for this object. */
  keep(object: KubeObject, read: UsableCredential): void {
    if (hasFinalizer(object)) this.#last.set(keyOf(object), read);
  }

  /** Reads the key, which costs a call to Kubernetes only where the Secret is another one. */
  async refresh(object: KubeObject): Promise<void> {
    const ref = secretRefOf(object);
    if (ref === undefined || !hasFinalizer(object)) return;
    try {
      const read = await this.#read(object.metadata.namespace, ref);
      if (read.ok) this.keep(object, read);
    } catch (error) {
      // The object is reconciled whether or not Kubernetes gives the Secret now.
      if (!(error instanceof KubeError)) throw error;
    }
  }

  forget(key: string): void {
    this.#last.delete(key);
  }
}

/** The Secret an object refers to, whether or not the rest of its spec is valid. */
export function secretRefOf({ spec }: Pick<KubeObject, 'spec'>): SecretRef | undefined {
  const ref = (spec as { credentialsSecretRef?: SecretRef } | undefined)?.credentialsSecretRef;
  return typeof ref?.name === 'string' && ref.name !== '' ? ref : undefined;
}

function hasFinalizer({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.some((name) => name.startsWith('pipewright.dev/')) ?? false;
}
