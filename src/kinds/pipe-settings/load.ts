import { type KubeObject, keyOf } from '../../kube/resource.ts';
import type { Memory } from '../engine/api-call.ts';
import { type SecretFacts, secretFactsOf } from '../status/tried-secret.ts';
import { type StandingSources, standingOf } from '../target/standing.ts';
import type { Standing } from '../target/target.ts';
import type { StillAtWork, Unsettled } from '../target/unsettled.ts';
import type { PipeSettings } from './resource.ts';

/** What a pass knows besides the object itself. */
export interface Facts extends SecretFacts {
  /** What decides which of the objects for this pipe may act. */
  readonly standing: Standing;
  /** A write for the same target stands in no status: what the API holds may be that. */
  readonly owed: boolean;
  /** The limiter holds a slot for the object. */
  readonly hasSlot?: boolean;
  /** Normalised base address of the API. */
  readonly baseUrl: string;
  /** Identifies that API in `status.proof`. */
  readonly apiHash: string;
  /** Nothing is sent for any object. */
  readonly planOnly: boolean;
  /** Its requests that may still take effect although they were not answered. */
  readonly atWork: readonly StillAtWork[];
}

/** Files objects under the pipe they stand for, whether or not the rest of their spec is valid. */
export function targetOf(object: KubeObject): string | undefined {
  const spec = object.spec as
    | { organizationId?: unknown; serviceId?: unknown; pipeId?: unknown }
    | undefined;
  if (!spec) return undefined;
  return JSON.stringify([spec.organizationId, spec.serviceId, spec.pipeId]);
}

export function load(
  object: PipeSettings,
  from: StandingSources<PipeSettings> & {
    readonly memory: Memory;
    readonly hasSlot: (storeKey: string) => boolean;
    readonly baseUrl: string;
    readonly planOnly: boolean;
    readonly unsettled: Pick<Unsettled, 'of'>;
  },
): Facts {
  return {
    standing: standingOf(object, from),
    ...secretFactsOf(object, from),
    owed: from.memory.unrecorded.isOwed(targetOf(object), {
      key: keyOf(object),
      uid: object.metadata.uid,
      goesOn: false,
    }),
    hasSlot: from.hasSlot(keyOf(object)),
    baseUrl: from.baseUrl,
    apiHash: from.apiHash,
    planOnly: from.planOnly,
    atWork: from.unsettled.of(object),
  };
}
