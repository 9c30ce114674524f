import { isSameDeclaration, type KubeObject } from '../../kube/resource.ts';
import type { WriteStatus } from '../schema/status-fields.ts';

/**
 * Of several objects for one pipe or organization, who acts. `verified`: the API has accepted the
 * owner's own key; else it is only older, and tried first. It is named only in its own namespace:
 * nobody is told of objects that he may not see.
 */
export type Ownership =
  | { readonly type: 'owner' }
  | {
      readonly type: 'waits';
      readonly owner?: { readonly name: string } | undefined;
      readonly verified: boolean;
    };

export interface OwnershipFacts {
  /** Of the API that is called now. */
  readonly apiHash: string;
  /** Its stored spec can be read. */
  readonly isValid: (object: KubeObject) => boolean;
}

/**
 * The oldest verified object owns the target as long as it exists, suspended, planned or being
 * deleted too. Where none is verified, the oldest of each namespace may try, since anybody may
 * write anybody's ids into an object. The same for every observer.
 */
export function ownershipOf(
  own: KubeObject,
  others: readonly KubeObject[],
  facts: OwnershipFacts,
): Ownership {
  if (others.length === 0) return { type: 'owner' };
  const all = [own, ...others];
  const verified = oldest(all.filter((object) => isVerified(object, facts)));
  const near = all.filter((object) => isNear(object, own) && mayTry(object, facts));
  const owner = verified ?? (mayTry(own, facts) ? oldest(near) : undefined) ?? own;
  if (owner.metadata.uid === own.metadata.uid) return { type: 'owner' };
  const { name } = owner.metadata;
  const named = isNear(owner, own) ? { name } : undefined;
  return { type: 'waits', owner: named, verified: verified !== undefined };
}

/** Its rival may have written in its place since: what was confirmed is sent again. */
export function rivalConfirmedLater(own: KubeObject, others: readonly KubeObject[]): boolean {
  const since = confirmedAt(own);
  return since !== undefined && others.some((other) => (confirmedAt(other) ?? 0) > since);
}

/** Whether the API at this address has accepted the object's own key for its target. */
export function isVerified(object: KubeObject, { apiHash, isValid }: OwnershipFacts): boolean {
  return statusOf(object).verified?.apiHash === apiHash && isValid(object);
}

function mayTry(object: KubeObject, { isValid }: OwnershipFacts): boolean {
  const { suspend, mode } = (object.spec ?? {}) as { suspend?: boolean; mode?: string };
  const isIdle = suspend === true || mode === 'Plan' || object.metadata.deletionTimestamp;
  return !isIdle && isValid(object);
}

function isNear(one: KubeObject, other: KubeObject): boolean {
  return one.metadata.namespace === other.metadata.namespace;
}

function oldest(objects: readonly KubeObject[]): KubeObject | undefined {
  const ageOf = ({ metadata }: KubeObject) => `${metadata.creationTimestamp} ${metadata.uid}`;
  return objects.toSorted((one, other) => (ageOf(one) < ageOf(other) ? -1 : 1))[0];
}

function confirmedAt(object: KubeObject): number | undefined {
  const { applied } = statusOf(object);
  return applied && Date.parse(applied.time);
}

function statusOf({ status }: KubeObject): WriteStatus {
  return status ?? {};
}

/** What of an object decides who owns its target, and whether what the owner sent still stands. */
export function isSameRival(now: KubeObject, before: KubeObject): boolean {
  const [one, other] = [statusOf(now), statusOf(before)];
  const isSame = one.verified?.apiHash === other.verified?.apiHash;
  return isSame && one.applied?.time === other.applied?.time && isSameDeclaration(now, before);
}

/**
 * At most one attempt at a time for each target. Who is refused is reconciled when the target is
 * left: to wait for it with a permit in hand would hold up all other calls of the key.
 */
export class Targets {
  /** By target, who was refused since it was entered. */
  readonly #refused = new Map<string, Set<string>>();
  readonly #enqueue: (id: string) => void;

  constructor(enqueue: (id: string) => void) {
    this.#enqueue = enqueue;
  }

  enter(target: string, id: string): boolean {
    const refused = this.#refused.get(target)?.add(id);
    if (!refused) this.#refused.set(target, new Set());
    return !refused;
  }

  leave(target: string): void {
    const refused = this.#refused.get(target) ?? [];
    this.#refused.delete(target);
    for (const id of refused) this.#enqueue(id);
  }
}
