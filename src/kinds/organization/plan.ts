import { type CommonPlan, suspended } from '../engine/plan.ts';
import { generationOf } from '../status/common-status.ts';
import { reassertMsOf, whenDue } from '../status/due.ts';
import { waitsSilently } from '../target/standing.ts';
import { type Held, isSuperseded, judgeTarget, type Turn } from '../target/target.ts';
import { endsApplied } from '../target/unsettled.ts';
import { nextStep } from './attempt/next-step.ts';
import { isUnsent } from './attempt/notes.ts';
import { type Session, workOf } from './attempt/session.ts';
import { type CleanupPlan, nothingUntil, planCleanup } from './cleanup.ts';
import { type Tuple, withAdds } from './endpoints/endpoints.ts';
import { goalOf, isOurs } from './goal.ts';
import { openEntries, secondLooks } from './ledger/times.ts';
import type { Facts } from './load.ts';
import { previewOf } from './preview.ts';
import { addressOf } from './remote.ts';
import {
  hasFinalizer,
  type LedgerEntry,
  type Organization,
  type OrganizationSpec,
  parseSpec,
} from './resource.ts';

/** Everything the operator can do about an Organization. */
export type Plan =
  | CleanupPlan
  | Extract<CommonPlan, { do: 'suspend' }>
  /**
   * `lost`: what was this object's and is so no more, because another one is proven. `session`: the
   * attempt that ends with it.
   */
  | {
      readonly do: 'yield';
      readonly to: Held | Turn;
      readonly spec: OrganizationSpec;
      readonly lost: readonly Tuple[];
      readonly session?: Session;
    }
  /** Its status speaks of another API. */
  | { readonly do: 'disown'; readonly lost: readonly Tuple[] }
  /** Puts the finalizer on. */
  | { readonly do: 'hold' };

/**
 * Decides. The order is the order of precedence: deletion, a spec that cannot be read, suspend,
 * another object's organization, Plan, time.
 */
export function plan(object: Organization, facts: Facts, now: number): Plan {
  if (isElsewhere(object, facts)) return { do: 'disown', lost: oursIn(object) };
  if (object.metadata.deletionTimestamp) return planCleanup(object, facts, now);
  const parsed = parseSpec(object);
  if (!parsed.ok) return { do: 'refuse-spec', message: parsed.message };
  const { spec } = parsed;
  const mayRemove = spec.deletionPolicy === 'RemovePrivateEndpoints';
  if (hasFinalizer(object) && !mayRemove)
    return { do: 'release', abandoned: [], keptForOthers: [] };
  const verdict = judgeTarget(facts.standing, now);
  if (verdict.holds && mayRemove && !hasFinalizer(object) && oursIn(object).length > 0)
    return { do: 'hold' };
  const goal = goalOf(spec);
  const { hash } = addressOf(facts.baseUrl, spec.organizationId, goal);
  if (spec.suspend) {
    const isLast = !isSuperseded(facts.standing, now) && !facts.hasUnrecordedWrite;
    return suspendedWhere(isLast && isConfirmed(object, hash));
  }
  if (!verdict.holds) return { do: 'yield', spec, ...givenUp(object, facts, { to: verdict, now }) };
  if (spec.mode === 'Plan' || facts.planOnly) return previewOf(object, facts, { spec, goal, now });
  const { turn, againAt = Number.POSITIVE_INFINITY } = verdict;
  const work = workOf(object, facts, { spec, goal, now });
  const { applied, pendingChange } = object.status ?? {};
  const isSent =
    applied?.requestHash === hash && applied.generation === generationOf(object) && !pendingChange;
  const lookAt = Math.min(againAt, promisedLookAt(object));
  const due = whenDue(object, facts, {
    confirmed: isSent && lookAt > now && !facts.hasUnrecordedWrite,
    reassertMs: reassertMsOf(spec),
    now,
  });
  if (due.do === 'reschedule') return due;
  if (due.do === 'nothing' && !work.session.fresh) {
    const dueAt = due.at ?? Number.POSITIVE_INFINITY;
    return nothingUntil(lookAt > now ? Math.min(dueAt, lookAt) : dueAt);
  }
  if (turn) {
    return waitsSilently(object, facts.standing)
      ? { do: 'nothing', at: turn.until }
      : {
          do: 'yield',
          to: turn,
          spec,
          lost: [],
          ...(work.session.fresh && { session: work.session }),
        };
  }
  if (mayRemove && !hasFinalizer(object) && goal.endpoints) return { do: 'hold' };
  const lane = work.session.fresh || due.do === 'nothing' ? 'user' : due.lane;
  return { do: 'step', work, step: nextStep(work), lane, probe: due.do === 'call' && due.probe };
}

function suspendedWhere(isConfirmed: boolean): Extract<CommonPlan, { do: 'suspend' }> {
  return suspended(
    isConfirmed,
    isConfirmed
      ? 'The declared state is the one last confirmed'
      : 'The declared state has not been confirmed. Set spec.suspend to false to send it',
  );
}

/**
 * What was this object's goes when another one is proven; with an intent, when that is settled:
 * till then the other waits for it.
 */
function givenUp(
  object: Organization,
  { notes, monotonic }: Facts,
  { to, now }: { readonly to: Held; readonly now: number },
): { readonly to: Held; readonly lost: readonly Tuple[] } {
  if (to.why !== 'held') return { to, lost: [] };
  const pending = object.status?.pendingChange;
  const ms = pending && !isUnsent(notes, pending) ? notes.atWork.settlesAt - monotonic : 0;
  return ms > 0 ? { to: { ...to, until: now + ms }, lost: [] } : { to, lost: oursIn(object) };
}

/**
 * Epoch ms: when what is not as it should be yet is looked at again, as the last attempt has
 * promised.
 */
function promisedLookAt({ status: { privateEndpoints, nextAttemptTime } = {} }: Organization) {
  const isOpen = openEntries(privateEndpoints).length + secondLooks(privateEndpoints).length > 0;
  return isOpen && nextAttemptTime !== undefined
    ? Date.parse(nextAttemptTime)
    : Number.POSITIVE_INFINITY;
}

/**
 * Whether what the API last confirmed is what is declared now, and nothing is open or was tried in
 * vain since.
 */
function isConfirmed(object: Organization, hash: string): boolean {
  const { status } = object;
  if (status?.applied?.requestHash !== hash || status.pendingChange) return false;
  const isOpen = ({ state }: LedgerEntry): boolean => state !== 'Present';
  return endsApplied(object) && !(status.privateEndpoints ?? []).some(isOpen);
}

/** Whether the status speaks of another API. */
function isElsewhere({ status }: Organization, { apiHash }: Facts): boolean {
  return status?.proof !== undefined && status.proof.apiHash !== apiHash;
}

/** What is this object's, or may be. */
export function oursIn({ status }: Pick<Organization, 'status'>): readonly Tuple[] {
  const { privateEndpoints = [], pendingChange } = status ?? {};
  return withAdds(privateEndpoints.filter(isOurs), pendingChange?.add);
}
