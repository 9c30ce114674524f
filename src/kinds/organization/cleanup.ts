import type { Notice } from '../../controller/kind.ts';
import type { Lane } from '../../controller/queue.ts';
import type { CommonPlan } from '../engine/plan.ts';
import { generationOf, readyOf } from '../status/common-status.ts';
import { whenDue } from '../status/due.ts';
import { isFailure } from '../status/failures.ts';
import { judgeTarget } from '../target/target.ts';
import { nextStep, type Step } from './attempt/next-step.ts';
import { isUnsent } from './attempt/notes.ts';
import { type Work, workOf } from './attempt/session.ts';
import { sameKey, type Tuple, withAdds } from './endpoints/endpoints.ts';
import { cleanupGoal, type Goal, isListedIn, isOurs } from './goal.ts';
import { takenBack } from './ledger/ledger.ts';
import { namingAll } from './ledger/notices.ts';
import type { Facts } from './load.ts';
import { type Preview, previewOf } from './preview.ts';
import { hasFinalizer, type Organization, type OrganizationSpec, parseSpec } from './resource.ts';

/** What can be done about any object, and all that is done about one that is being deleted. */
export type CleanupPlan =
  | Extract<CommonPlan, { do: 'nothing' | 'reschedule' }>
  /** `at`: when an object that is being deleted is let go all the same. */
  | (Extract<CommonPlan, { do: 'refuse-spec' }> & { readonly at?: number })
  | Preview
  /**
   * Takes the finalizer off. `abandoned`: may be left at the API. `keptForOthers`: stays, because
   * another object lists it.
   */
  | {
      readonly do: 'release';
      readonly abandoned: readonly Tuple[];
      readonly keptForOthers: readonly Tuple[];
      readonly because?: 'held' | 'gone' | 'deadline';
    }
  | {
      readonly do: 'step';
      readonly work: Work;
      readonly step: Step;
      readonly lane: Lane;
      readonly probe: boolean;
    };

/**
 * What is done about an object that is being deleted. Nothing without the finalizer. With it, what
 * is this object's goes first, whatever suspend, mode and cap say, and the object is let go at its
 * deadline at the latest, once an attempt has failed.
 */
export function planCleanup(object: Organization, facts: Facts, now: number): CleanupPlan {
  if (!hasFinalizer(object)) return { do: 'nothing' };
  const { isGone, finalizerRemovedUntil = 0 } = facts.notes.deletion;
  const heardInMs = finalizerRemovedUntil - facts.monotonic;
  if (heardInMs > 0) return { do: 'nothing', at: now + heardInMs };
  const parsed = parseSpec(object);
  if (parsed.ok && parsed.spec.deletionPolicy !== 'RemovePrivateEndpoints') return release();
  const verdict = judgeTarget(facts.standing, now);
  const goal = parsed.ok ? cleanupGoal(parsed.spec, facts.listedByOthers) : undefined;
  const own = ownOf(object, facts, goal);
  const deadline = deadlineOf(object, facts);
  if (!verdict.holds) {
    if (verdict.why !== 'unlisted')
      return release({ abandoned: entriesOf(object), because: 'held' });
    // An object that may hold the organization is not listed yet: until the deadline what this one
    // has counts as its own.
    if (own.length === 0) return release();
    return now < deadline
      ? nothingUntil(deadline)
      : release({ abandoned: own, because: 'deadline' });
  }
  const isWantedByOthers = (tuple: Tuple): boolean => goal?.wanted.has(sameKey(tuple)) ?? false;
  const left = own.filter((tuple) => !isWantedByOthers(tuple));
  const keptForOthers = own.filter(isWantedByOthers);
  if (left.length === 0) return release({ keptForOthers });
  if (isGone) return release({ abandoned: left, keptForOthers, because: 'gone' });
  const hasFailed = hasFailedSince(object);
  if (hasFailed && now >= deadline)
    return release({ abandoned: left, keptForOthers, because: 'deadline' });
  if (!parsed.ok)
    return {
      do: 'refuse-spec',
      message: parsed.message,
      ...(Number.isFinite(deadline) && { at: Math.max(deadline, now) }),
    };
  return attemptPlan(object, facts, {
    spec: parsed.spec,
    deadline,
    turnAt: verdict.turn?.until,
    hasFailed,
    now,
  });
}

/** Infinity under `--plan-only`: an operator that may not try may not give up either. */
function deadlineOf({ metadata }: Organization, facts: Facts): number {
  if (facts.planOnly) return Number.POSITIVE_INFINITY;
  return Date.parse(metadata.deletionTimestamp ?? '') + facts.cleanupDeadlineMs;
}

function attemptPlan(
  object: Organization,
  facts: Facts,
  options: {
    readonly spec: OrganizationSpec;
    readonly deadline: number;
    readonly turnAt: number | undefined;
    readonly hasFailed: boolean;
    readonly now: number;
  },
): CleanupPlan {
  const { spec, deadline, turnAt, hasFailed, now } = options;
  const goal = cleanupGoal(spec, facts.listedByOthers);
  // Under `--plan-only` nothing is removed for a deletion either: it waits for an operator that may
  // act.
  if (facts.planOnly) return previewOf(object, facts, { spec, goal, now });
  const work = workOf(object, facts, { spec, goal, now, deadline });
  const isUnderWay = work.session.fresh !== undefined;
  const due = whenDue(object, facts, { confirmed: false, now });
  if (due.do === 'reschedule')
    return { do: 'reschedule', at: Math.min(due.at, Math.max(deadline, now)) };
  const latest = deadline > now ? deadline : Number.POSITIVE_INFINITY;
  if (due.do === 'nothing' && !isUnderWay) return nothingUntil(Math.min(due.at ?? latest, latest));
  if (turnAt !== undefined) return nothingUntil(Math.min(turnAt, latest));
  return {
    do: 'step',
    work,
    step: nextStep(work),
    lane: 'user',
    probe: due.do === 'call' && (due.probe || !hasFailed),
  };
}

/**
 * Whether an attempt has failed since the deletion. That the key was refused for another object is
 * none: it may work by now.
 */
function hasFailedSince(object: Organization): boolean {
  const { status } = object;
  const ready = readyOf(status);
  if (ready?.observedGeneration !== generationOf(object) || !isFailure(ready.reason)) return false;
  return ready.reason !== 'Unauthorized' || status?.attempts !== undefined;
}

/** Infinity: until something changes. */
export function nothingUntil(at: number): CleanupPlan {
  return at === Number.POSITIVE_INFINITY ? { do: 'nothing' } : { do: 'nothing', at };
}

type Release = Extract<CleanupPlan, { do: 'release' }>;

function release(more: Partial<Omit<Release, 'do'>> = {}): Release {
  return { do: 'release', abandoned: [], keptForOthers: [], ...more };
}

/** What is this object's, or may be, by the spec as it was when the object was deleted. */
function ownOf(
  { status }: Organization,
  { notes }: Facts,
  goal: Goal | undefined,
): readonly Tuple[] {
  const { privateEndpoints = [], pendingChange } = status ?? {};
  const ledger = goal ? takenBack(privateEndpoints, goal) : privateEndpoints;
  const isAdopted = (tuple: Tuple): boolean => (goal?.adopt && isListedIn(goal, tuple)) ?? false;
  const ours = ledger.filter(
    (entry) => isOurs(entry) || (entry.origin === 'Found' && isAdopted(entry)),
  );
  const pending = pendingChange && !isUnsent(notes, pendingChange) ? pendingChange.add : [];
  return withAdds(ours, pending);
}

function entriesOf({ status }: Organization): readonly Tuple[] {
  return withAdds(status?.privateEndpoints ?? [], status?.pendingChange?.add);
}

const ABANDONED = {
  held: 'Deleted without a request, because another object holds the organization.',
  gone: 'Deleted, because the organization was not found at the API.',
  deadline: 'Deleted, because --cleanup-deadline has passed.',
} as const;

/** What is said of an object that is let go with something left at the API. */
export function leftNotices(plan: Extract<CleanupPlan, { do: 'release' }>): Notice[] {
  return [
    ...namingAll(plan.keptForOthers, {
      type: 'Normal',
      reason: 'EndpointLeft',
      before: 'Another object lists these private endpoints:',
      after: 'They stay at the API',
    }),
    ...namingAll(plan.abandoned, {
      type: 'Warning',
      reason: 'CleanupAbandoned',
      before: `${ABANDONED[plan.because ?? 'deadline']} Private endpoints that may be left at the API:`,
      after: 'If they are not wanted, remove them at the API',
    }),
  ];
}
