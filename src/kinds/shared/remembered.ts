import { KubeError } from '../../kube/client/kube-error.ts';
import { type KubeObject, keyOf } from '../../kube/resource.ts';
import type { KindContext } from './context.ts';
import type { CredentialRead, ReadCredential, UsableCredential } from './credentials.ts';
import type { SecretRef } from './key-pair.ts';

/**
 * The last usable API key of each object that has something to clean up. A namespace that is
 * deleted takes the Secret first, often in the middle of a cleanup.
 */
export class Remembered {
  readonly #reads = new Map<string, { readonly ref: string; readonly read: UsableCredential }>();
  readonly #secrets: KindContext['secrets'];
  readonly #read: ReadCredential;

  constructor({ secrets, readCredential }: Pick<KindContext, 'secrets' | 'readCredential'>) {
    this.#secrets = secrets;
    this.#read = readCredential;
  }

  /** Reads the key; while the object is being deleted, the last one that was usable serves too. */
  async read(object: KubeObject, ref: SecretRef): Promise<CredentialRead> {
    const read = await this.#read(object.metadata.namespace, ref);
    if (read.ok || object.metadata.deletionTimestamp === undefined) return read;
    return this.#reads.get(keyOf(object))?.read ?? read;
  }

  /** `read` was usable for this object. */
  keep(object: KubeObject, ref: SecretRef, read: UsableCredential): void {
    if (hasFinalizer(object)) this.#reads.set(keyOf(object), { ref: JSON.stringify(ref), read });
  }

  /** Reads the key where its Secret is another one than that of the last time. */
  async refresh(object: KubeObject): Promise<void> {
    const ref = secretRefOf(object);
    if (ref === undefined || !hasFinalizer(object)) return;
    const known = this.#reads.get(keyOf(object));
    const state = this.#secrets.state(object.metadata.namespace, ref.name);
    const isSame = known?.ref === JSON.stringify(ref);
    if (known && isSame && state.state !== 'present') return;
    if (
      isSame &&
      state.state === 'present' &&
      known?.read.resourceVersion === state.resourceVersion
    )
      return;
    try {
      const read = await this.#read(object.metadata.namespace, ref);
      if (read.ok) this.keep(object, ref, read);
    } catch (error) {
      // The object is reconciled whether or not Kubernetes gives the Secret now.
      if (!(error instanceof KubeError)) throw error;
    }
  }

  forget(key: string): void {
    this.#reads.delete(key);
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
