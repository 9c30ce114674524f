import { generationOf, readyOf, requestedAt } from '../common-status.ts';
import { type Due, whenDue } from '../due.ts';
import { parseDuration } from '../duration.ts';
import { type CleanupPlan, planCleanup } from './cleanup.ts';
import { goalOf } from './goal.ts';
import type { Facts } from './load.ts';
import { type Preview, previewOf } from './preview.ts';
import { addressOf, stateHash } from './remote.ts';
import { type LedgerEntry, type Organization, type OrganizationSpec, parseSpec } from './resource.ts';
import { stepFor } from './step.ts';
import { isConfirmed, isHeld, isNews, memoFor, type Work } from './work.ts';

/** Everything the operator can do about an Organization. */
export type Plan =
  | CleanupPlan
  /** `inherited`: where another object holds the organization. */
  | { readonly do: 'suspend'; readonly confirmed: boolean; readonly inherited?: readonly LedgerEntry[] }
  | { readonly do: 'yield'; readonly holder: Facts['holder']; readonly inherited: readonly LedgerEntry[] }
  | { readonly do: 'preview'; readonly preview: Preview }
  /** Puts the finalizer on. */
  | { readonly do: 'hold' };

/** Decides. The order is the order of precedence: deletion, a spec that cannot be read, suspend, another object's organization, Plan, time. */
export function plan(object: Organization, facts: Facts, now: number): Plan {
  if (object.metadata.deletionTimestamp) return planCleanup(object, facts, now);
  const parsed = parseSpec(object);
  if (!parsed.ok) return { do: 'refuse-spec', message: parsed.message };
  const { spec } = parsed;
  if (isHeld(object) && spec.deletionPolicy !== 'RemovePrivateEndpoints') return { do: 'release' };
  const goal = goalOf(spec);
  const address = addressOf(spec.organizationId);
  const hash = stateHash(facts.baseUrl, address, goal);
  const isHolder = facts.holder.uid === object.metadata.uid;
  const mayHold = isHolder && spec.deletionPolicy === 'RemovePrivateEndpoints' && !isHeld(object);
  if (mayHold && hasAdded(object)) return { do: 'hold' };
  if (spec.suspend) {
    const confirmed = isConfirmed(object, hash);
    return isHolder ? { do: 'suspend', confirmed } : { do: 'suspend', confirmed, inherited: facts.inherited };
  }
  if (!isHolder) return { do: 'yield', holder: facts.holder, inherited: facts.inherited };
  if (spec.mode === 'Plan')
    return { do: 'preview', preview: previewOf(object, { goal, path: address.path, hash, now }) };
  const due = dueOf(object, facts, { spec, hash, now });
  if (due.due === 'reschedule') return { do: 'reschedule', at: due.at };
  if (!due.due) return due.at === undefined ? { do: 'nothing' } : { do: 'nothing', at: due.at };
  if (mayHold && goal.endpoints) return { do: 'hold' };
  const work: Work = {
    spec,
    goal,
    segments: address.segments,
    hash,
    memo: memoFor(object, facts.memo),
    apiTimeoutMs: facts.apiTimeoutMs,
    lane: readyOf(object.status)?.reason === 'Pending' ? 'user' : due.lane,
    probe: due.probe,
    retryRefused: isNews(object),
    plannedAt: now,
  };
  return { do: 'step', work, ...stepFor(object, work, now) };
}

function dueOf(
  object: Organization,
  facts: Facts,
  { spec, hash, now }: { readonly spec: OrganizationSpec; readonly hash: string; readonly now: number },
): Due {
  const { status } = object;
  const generation = generationOf(object);
  return whenDue({
    generation,
    uid: object.metadata.uid,
    status,
    requested: requestedAt(object),
    confirmed:
      status?.applied?.requestHash === hash &&
      status.applied.generation === generation &&
      // Where the list is not managed, an open intent waits for the next reply that has one.
      !(status.pendingChange && spec.privateEndpoints),
    reassertMs: spec.reassertInterval === undefined ? undefined : parseDuration(spec.reassertInterval),
    secret: facts.secret,
    triedSecret: facts.triedSecret,
    hasSlot: facts.hasSlot,
    now,
  });
}

/** Whether the object has added endpoints, or may have. */
function hasAdded({ status }: Organization): boolean {
  const { privateEndpoints = [], pendingChange } = status ?? {};
  return privateEndpoints.some(({ origin }) => origin === 'Added') || (pendingChange?.add.length ?? 0) > 0;
}
