import { keyOf } from '../../kube/resource.ts';
import { type SecretFacts, type SecretSources, secretFactsOf } from '../status/tried-secret.ts';
import type { Activity } from './resource.ts';

/** What a pass knows besides the object itself. */
export interface Facts extends SecretFacts {
  /** The limiter holds a slot for the object. */
  readonly hasSlot: boolean;
}

export function load(
  object: Activity,
  from: SecretSources & {
    readonly hasSlot: (storeKey: string) => boolean;
  },
): Facts {
  return {
    ...secretFactsOf(object, from),
    hasSlot: from.hasSlot(keyOf(object)),
  };
}
