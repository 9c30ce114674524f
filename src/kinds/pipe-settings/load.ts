import { type KubeObject, keyOf } from '../../kube/resource.ts';
import type { SecretState } from '../../kube/secret-state.ts';
import type { Secrets } from '../../kube/secrets.ts';
import type { Store } from '../../kube/store.ts';
import type { Memory } from '../attempt.ts';
import { secretNameOf } from '../credentials.ts';
import { type Holder, holderOf } from '../target.ts';
import type { PipeSettings } from './resource.ts';

/** What a pass knows besides the object itself. */
export interface Facts {
  /** Which object for this pipe may act; the object itself, or another. */
  readonly holder: Holder;
  readonly secret: SecretState;
  /** Version of the Secret that this process last tried for the object. */
  readonly triedSecret: string | undefined;
  /** The pacer holds a slot for the object. */
  readonly hasSlot?: boolean;
  /** Normalised base address of the API. */
  readonly baseUrl: string;
}

/** Files objects under the pipe they stand for, whether or not the rest of their spec is valid. */
export function targetOf(object: KubeObject): string | undefined {
  const spec = object.spec as { organizationId?: unknown; serviceId?: unknown; pipeId?: unknown } | undefined;
  if (!spec) return undefined;
  return JSON.stringify([spec.organizationId, spec.serviceId, spec.pipeId]);
}

export function load(
  object: PipeSettings,
  from: {
    readonly store: Pick<Store<PipeSettings>, 'byIndex'>;
    readonly secrets: Pick<Secrets, 'state'>;
    readonly memory: Memory;
    readonly hasSlot: (storeKey: string) => boolean;
    readonly baseUrl: string;
  },
): Facts {
  const target = targetOf(object);
  const rivals = target === undefined ? [object] : from.store.byIndex('target', target);
  const acted = (rival: PipeSettings): boolean =>
    rival.status?.applied !== undefined || from.memory.acting.has(keyOf(rival));
  const { uid, namespace, name } = (rivals.length > 1 ? (holderOf(rivals, acted) ?? object) : object).metadata;
  const secretName = secretNameOf(object);
  return {
    holder: { uid, namespace, name },
    secret: secretName === undefined ? { state: 'unknown' } : from.secrets.state(object.metadata.namespace, secretName),
    triedSecret: from.memory.triedSecret.get(keyOf(object)),
    hasSlot: from.hasSlot(keyOf(object)),
    baseUrl: from.baseUrl,
  };
}
