import { generationOf, readyOf, requestedAt } from '../common-status.ts';
import { whenDue } from '../due.ts';
import { isFailure } from '../failures.ts';
import { type Tuple, tupleKey, tupleOf } from './endpoints.ts';
import { cleanupGoal } from './goal.ts';
import type { Facts } from './load.ts';
import { neverLeft } from './memo.ts';
import { addressOf, stateHash } from './remote.ts';
import { type Organization, type OrganizationSpec, parseSpec } from './resource.ts';
import { type Step, stepFor } from './step.ts';
import { isHeld, isNews, memoFor, type Work } from './work.ts';

/** A 404 or 410 of the organization for the second time: it is gone, and its endpoints with it. */
export const GONE = 2;

/** What can be done about any object, and all that is done about one that is being deleted. */
export type CleanupPlan =
  /** It is as it should be, or its time has not come. */
  | { readonly do: 'nothing'; readonly at?: number }
  | { readonly do: 'refuse-spec'; readonly message: string; readonly at?: number }
  | { readonly do: 'reschedule'; readonly at: number }
  /** Takes the finalizer off. */
  | { readonly do: 'release' }
  /** The same, although something may be left at the API. */
  | { readonly do: 'abandon'; readonly left: readonly Tuple[] }
  | ({ readonly do: 'step'; readonly work: Work } & Step);

/**
 * What is done about an object that is being deleted. Nothing without the finalizer. With it, what the object added goes first,
 * whatever suspend, mode and cap say, and the object is let go at its deadline at the latest, once an attempt has failed.
 */
export function planCleanup(object: Organization, facts: Facts, now: number): CleanupPlan {
  if (!isHeld(object) || facts.memo.letGo) return { do: 'nothing' };
  if (facts.holder.uid !== object.metadata.uid) return { do: 'release' };
  const parsed = parseSpec(object);
  if (parsed.ok && parsed.spec.deletionPolicy !== 'RemovePrivateEndpoints') return { do: 'release' };
  const { status } = object;
  const ready = readyOf(status);
  const deadline = Date.parse(object.metadata.deletionTimestamp ?? '') + facts.cleanupDeadlineMs;
  // Whoever waits must know what becomes its own; its ledger's change wakes this object.
  if (facts.unclaimed.length > 0 && now < deadline) return { do: 'nothing', at: deadline };
  const left = leftAtTheApi(object, facts);
  if (left.length === 0) return { do: 'release' };
  const failed = ready?.observedGeneration === generationOf(object) && isFailure(ready.reason);
  if (failed && ready.reason === 'NotFound' && (status?.attempts ?? 0) >= GONE) return { do: 'release' };
  if (failed && now >= deadline) return { do: 'abandon', left };
  if (!parsed.ok) return { do: 'refuse-spec', message: parsed.message, at: Math.max(deadline, now) };
  const due = whenDue({
    generation: generationOf(object),
    uid: object.metadata.uid,
    status,
    requested: requestedAt(object),
    confirmed: false,
    reassertMs: undefined,
    secret: facts.secret,
    triedSecret: facts.triedSecret,
    hasSlot: facts.hasSlot,
    now,
  });
  if (due.due === 'reschedule') return { do: 'reschedule', at: Math.min(due.at, Math.max(deadline, now)) };
  if (!due.due) return { do: 'nothing', at: Math.min(due.at ?? deadline, deadline) };
  const work = cleanupWork(object, facts, { spec: parsed.spec, deadline, probe: due.probe, now });
  return { do: 'step', work, ...stepFor(object, work, now) };
}

function cleanupWork(
  object: Organization,
  facts: Facts,
  {
    spec,
    deadline,
    probe,
    now,
  }: { readonly spec: OrganizationSpec; readonly deadline: number; readonly probe: boolean; readonly now: number },
): Work {
  const goal = cleanupGoal(facts.awaited);
  const address = addressOf(spec.organizationId);
  return {
    spec,
    goal,
    segments: address.segments,
    hash: stateHash(facts.baseUrl, address, goal),
    memo: memoFor(object, facts.memo),
    apiTimeoutMs: facts.apiTimeoutMs,
    lane: 'user',
    probe,
    retryRefused: isNews(object),
    plannedAt: now,
    deadline,
  };
}

/** What this object added, or may have, and nobody waits for. */
function leftAtTheApi(object: Organization, { awaited, memo }: Facts): readonly Tuple[] {
  const { privateEndpoints = [], pendingChange } = object.status ?? {};
  const spared = new Set(awaited.map(tupleKey));
  const mayHaveLeft = pendingChange && !neverLeft(memo, pendingChange) ? pendingChange.add : [];
  const added = [...privateEndpoints.filter(({ origin }) => origin === 'Added'), ...mayHaveLeft];
  const unique = new Map(added.map((tuple) => [tupleKey(tuple), tupleOf(tuple)]));
  return [...unique.values()].filter((tuple) => !spared.has(tupleKey(tuple)));
}
