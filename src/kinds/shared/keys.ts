import { KubeError } from '../../kube/errors.ts';
import type { SecretRef } from '../../kube/key-pair.ts';
import { type KubeObject, keyOf } from '../../kube/resource.ts';
import { secretRefOf } from './common-status.ts';
import type { CredentialRead, ReadCredential, UsableCredential } from './credentials.ts';

/** The API keys of the objects of one kind. */
export class Keys {
  readonly #read: ReadCredential;
  /** The version of which Secret each object was last tried with. */
  readonly #tried = new Map<string, { readonly name: string; readonly version: string }>();
  /**
   * The last usable key of each object that has something to clean up. A namespace that is deleted
   * takes the Secret first, often in the middle of a cleanup.
   */
  readonly #last = new Map<string, UsableCredential>();

  constructor(read: ReadCredential) {
    this.#read = read;
  }

  /** While the object is being deleted, the last one that was usable serves too. */
  async read(object: KubeObject, ref: SecretRef): Promise<CredentialRead> {
    const read = await this.#read(object.metadata.namespace, ref);
    if (read.ok || object.metadata.deletionTimestamp === undefined) return read;
    return this.#last.get(keyOf(object)) ?? read;
  }

  /** An attempt was made with this. */
  tried(object: KubeObject, { name }: SecretRef, read: CredentialRead): void {
    const { resourceVersion: version } = read;
    if (version !== undefined) this.#tried.set(keyOf(object), { name, version });
    if (read.ok && hasFinalizer(object)) this.#last.set(keyOf(object), read);
  }

  /** The version of the Secret that the object refers to now, where it was tried with that. */
  triedVersion(object: KubeObject): string | undefined {
    const last = this.#tried.get(keyOf(object));
    return last?.name === secretRefOf(object)?.name ? last?.version : undefined;
  }

  /** Reads the key of an object with a finalizer of ours, to have it for the cleanup. */
  async remember(object: KubeObject): Promise<void> {
    const ref = secretRefOf(object);
    if (ref === undefined || !hasFinalizer(object)) return;
    try {
      const read = await this.#read(object.metadata.namespace, ref);
      if (read.ok) this.#last.set(keyOf(object), read);
    } catch (error) {
      // The object is reconciled whether or not Kubernetes gives the Secret now.
      if (!(error instanceof KubeError)) throw error;
    }
  }

  /** After a 401: the Secret may have changed since it was read. */
  async readAnew(object: KubeObject, ref: SecretRef): Promise<void> {
    try {
      await this.#read(object.metadata.namespace, ref, 'anew');
    } catch (error) {
      // The object waits for its Secret now, which asks for it again.
      if (!(error instanceof KubeError)) throw error;
    }
  }

  forget(key: string): void {
    this.#tried.delete(key);
    this.#last.delete(key);
  }
}

export function hasFinalizer({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.some((name) => name.startsWith('pipewright.dev/')) ?? false;
}
