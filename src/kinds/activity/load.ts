import { keyOf } from '../../kube/resource.ts';
import type { SecretState } from '../../kube/secret-state.ts';
import type { Secrets } from '../../kube/secrets.ts';
import type { Memory } from '../attempt.ts';
import { secretNameOf } from '../credentials.ts';
import type { Activity } from './resource.ts';

/** What a pass knows besides the object itself. */
export interface Facts {
  readonly secret: SecretState;
  /** Version of the Secret that this process last tried for the object. */
  readonly triedSecret: string | undefined;
  /** The pacer holds a slot for the object. */
  readonly hasSlot: boolean;
}

export function load(
  object: Activity,
  from: {
    readonly secrets: Pick<Secrets, 'state'>;
    readonly memory: Memory;
    readonly hasSlot: (storeKey: string) => boolean;
  },
): Facts {
  const secretName = secretNameOf(object);
  return {
    secret: secretName === undefined ? { state: 'unknown' } : from.secrets.state(object.metadata.namespace, secretName),
    triedSecret: from.memory.triedSecret.get(keyOf(object)),
    hasSlot: from.hasSlot(keyOf(object)),
  };
}
