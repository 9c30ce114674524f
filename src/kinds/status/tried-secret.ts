import { type KubeObject, keyOf } from '../../kube/resource.ts';
import type { SecretState } from '../../kube/secrets/secret-state.ts';
import type { Secrets } from '../../kube/secrets/secrets.ts';

/** The Secret that a call was last made with, or that no key could be made of. */
export interface TriedSecret {
  readonly name: string;
  readonly resourceVersion: string;
}

export interface SecretFacts {
  /** The Secret that the object refers to. */
  readonly secret: SecretState;
  /**
   * Version of this Secret that this process last tried for the object; that of another one would
   * say nothing.
   */
  readonly triedSecret: string | undefined;
}

export interface SecretSources {
  readonly secrets: Pick<Secrets, 'state'>;
  /** `triedSecret`: by store key. */
  readonly memory: { readonly triedSecret: ReadonlyMap<string, TriedSecret> };
}

export function secretFactsOf(object: KubeObject, { secrets, memory }: SecretSources): SecretFacts {
  const name = secretNameOf(object);
  const tried = memory.triedSecret.get(keyOf(object));
  return {
    secret:
      name === undefined ? { state: 'unknown' } : secrets.state(object.metadata.namespace, name),
    triedSecret: tried?.name === name ? tried?.resourceVersion : undefined,
  };
}

/** Name of the Secret an object refers to, whether or not the rest of its spec is valid. */
export function secretNameOf(object: KubeObject): string | undefined {
  const spec = object.spec as { credentialsSecretRef?: { name?: unknown } } | undefined;
  const name = spec?.credentialsSecretRef?.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}
