import type { KubeObject } from '../../kube/resource.ts';
import { isVerified, type OwnershipFacts, ownershipOf } from '../shared/target.ts';
import { oursIn } from './begin.ts';
import { sameKey, type Tuple } from './endpoints/endpoints.ts';
import type { AbandonedBecause } from './events.ts';
import { cleanupGoal, type Goal } from './goal.ts';
import { type Organization, type OrganizationSpec, parseSpec } from './resource.ts';
import { byAdoption } from './settle.ts';
import { LAST_TRY_MS } from './waits.ts';

/** What of an object's own is left at the API, and what stays because another object lists it. */
export interface Left {
  readonly own: readonly Tuple[];
  readonly keptForOthers: readonly Tuple[];
}

export type CleanupPlan =
  /** Takes the finalizer off; with a cause, `left.own` may be left at the API. */
  | { readonly type: 'let-go'; readonly left: Left; readonly because?: AbandonedBecause }
  /** The spec cannot be read, so nobody knows what others list, nor with which key to call. */
  | { readonly type: 'unreadable'; readonly problem: string }
  | { readonly type: 'attempt'; readonly spec: OrganizationSpec; readonly goal: Goal };

export interface CleanupFacts extends OwnershipFacts {
  readonly others: readonly Organization[];
  /** Epoch ms. */
  readonly deadline: number;
  /** An attempt that this process began has failed: it may give up at the deadline. */
  readonly hasFailed: boolean;
  readonly now: number;
}

const NONE: Left = { own: [], keptForOthers: [] };

/** What is done about an object with our finalizer that is being deleted. Pure. */
export function planCleanup(object: Organization, facts: CleanupFacts): CleanupPlan {
  const { others, deadline, now } = facts;
  const { deletionPolicy } = (object.spec ?? {}) as { readonly deletionPolicy?: unknown };
  if (deletionPolicy !== 'RemovePrivateEndpoints') return { type: 'let-go', left: NONE };
  const own = oursIn(object.status ?? {});
  if (ownershipOf(object, others, facts).type !== 'owner')
    return { type: 'let-go', left: { ...NONE, own }, because: 'not-owner' };
  const parsed = parseSpec(object);
  if (!parsed.ok) {
    if (now < deadline) return { type: 'unreadable', problem: parsed.message };
    return { type: 'let-go', left: { ...NONE, own }, because: 'deadline' };
  }
  const { spec } = parsed;
  const goal = cleanupGoal(spec, listedBy(object, others, facts));
  const left = leftOf(object.status, goal);
  if (isClean(left, object.status)) return { type: 'let-go', left };
  if (now >= deadline && facts.hasFailed) return { type: 'let-go', left, because: 'deadline' };
  return { type: 'attempt', spec, goal };
}

/** What of the inventory, and of a change on its way, is this object's. */
export function leftOf(status: Organization['status'] = {}, goal: Goal): Left {
  const privateEndpoints = status.privateEndpoints?.map((entry) => byAdoption(entry, goal));
  const ours = oursIn({ ...status, ...(privateEndpoints && { privateEndpoints }) });
  const isWanted = (tuple: Tuple): boolean => goal.wanted.has(sameKey(tuple));
  return { own: ours.filter((one) => !isWanted(one)), keptForOthers: ours.filter(isWanted) };
}

export function isClean({ own }: Left, status: Organization['status']): boolean {
  return own.length === 0 && !status?.pendingChange;
}

/** What others list stays: those of the same namespace, and those whose own key works there. */
function listedBy(
  object: Organization,
  others: readonly Organization[],
  facts: OwnershipFacts,
): readonly Tuple[] {
  const isHeard = (other: KubeObject): boolean =>
    other.metadata.namespace === object.metadata.namespace || isVerified(other, facts);
  return others.filter(isHeard).flatMap((other) => {
    const parsed = other.metadata.deletionTimestamp ? undefined : parseSpec(other);
    return parsed?.ok ? (parsed.spec.privateEndpoints ?? []) : [];
  });
}

/** Epoch ms: no wait passes the deadline, and the last try is made before it. */
export function latestBefore(deadline: number, now: number): number {
  const lastTry = deadline - LAST_TRY_MS;
  if (now < lastTry) return lastTry;
  return Math.max(deadline, now);
}
