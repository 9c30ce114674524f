import type { Context, Result } from '../../controller/kind.ts';
import { timestamp } from '../shared/canonical.ts';
import { refuseSpec } from '../shared/checks.ts';
import type { CommonStatus } from '../shared/common-status.ts';
import { whenDue } from '../shared/due.ts';
import { type CleanupPlan, isClean, type Left, latestBefore, leftOf, planCleanup } from './cleanup-plan.ts';
import { counted, names, withPlace } from './endpoints/wording.ts';
import { leftEvents } from './events.ts';
import { perform, type Setup } from './perform.ts';
import { planOf } from './preview.ts';
import { FINALIZER, hasFinalizer, isValid, type Organization } from './resource.ts';

/**
 * What is done about an object that is being deleted: with our finalizer, the attempt with the goal
 * "none of ours", whatever suspend, mode and cap say.
 */
export async function cleanUp(
  object: Organization,
  context: Context<Organization>,
  setup: Setup,
): Promise<Result> {
  if (!hasFinalizer(object)) return { next: 'on-change', did: 'nothing' };
  const { planOnly, cleanupDeadlineMs } = setup.context;
  const { uid, deletionTimestamp = '' } = object.metadata;
  const deadline = Date.parse(deletionTimestamp) + cleanupDeadlineMs;
  const plan = (of: Organization): CleanupPlan =>
    planCleanup(of, {
      apiHash: setup.apiHash,
      isValid,
      others: setup.others(of),
      deadline: planOnly ? Number.POSITIVE_INFINITY : deadline,
      hasFailed: setup.failedCleanups.has(uid),
      now: context.now(),
    });
  const planned = plan(object);
  if (planned.type === 'let-go') return letGo(object, context, setup, planned);
  if (planned.type === 'unreadable') {
    const refused = refuseSpec(object, planned.problem, context.now());
    return planOnly ? refused : { ...refused, next: { at: deadline } };
  }
  const { spec, goal } = planned;
  if (planOnly) return planOf(object, { spec, goal, setup, now: context.now() });
  const latest = latestBefore(deadline, context.now());
  const facts = setup.caller.factsOf(object);
  const due = whenDue(object, facts, { confirmed: false, now: context.now() });
  if (due.type === 'later')
    return { next: { at: Math.min(due.at ?? latest, latest) }, did: 'nothing' };
  const isOverdue = context.now() >= deadline;
  const { result, attempted } = await perform(object, context, setup, {
    ...{ spec, goal, due, latest },
    stillWanted: () => context.stillWanted() && (isOverdue || context.now() < deadline),
    refuse: (now) => (plan(now).type === 'attempt' ? undefined : { next: 'on-change', did: 'nothing' }),
  });
  if (!attempted || !context.stillWanted()) return result;
  const left = leftOf(attempted.draft, goal);
  if (isClean(left, attempted.draft)) return letGo(object, context, setup, { left });
  setup.failedCleanups.add(uid);
  if (context.now() >= deadline)
    return letGo(object, context, setup, { left, because: 'deadline' });
  return whileDeleting(result, left, { deadline, latest });
}

/** Begins the message of an object whose deletion waits. */
const DELETING = 'Being deleted: ';

/** The last status of an object that is let go would be written to nobody: events say it. */
async function letGo(
  object: Organization,
  context: Context<Organization>,
  setup: Setup,
  { left, because }: Pick<Extract<CleanupPlan, { type: 'let-go' }>, 'left' | 'because'>,
): Promise<Result> {
  const { organizationId } = (object.spec ?? {}) as { readonly organizationId?: string };
  const abandoned = because === undefined ? [] : left.own;
  const events = leftEvents({ ...left, organizationId, abandoned, because: because ?? 'deadline' });
  // Before the finalizer goes: for example, if the answer to that is lost, nobody may be left to
  // say it.
  for (const event of events) {
    context.emit(event);
    // A namespace that is being deleted takes no events.
    if (event.reason === 'CleanupAbandoned') setup.context.announce(event);
  }
  if (!(await context.finalizer(FINALIZER, false)))
    return { next: { at: context.now() + 1_000 }, did: 'nothing' };
  setup.failedCleanups.delete(object.metadata.uid);
  if (abandoned.length === 0) return { next: 'on-change', did: 'release', facts: {} };
  return {
    next: 'on-change',
    did: 'abandon',
    facts: { organizationId, left: abandoned.map(withPlace).join(', ') },
    counts: { abandoned: abandoned.length },
  };
}

/**
 * What a waiting deletion says: that it is one, what is left, what is in the way, and how it ends.
 */
function whileDeleting(
  result: Result,
  { own }: Left,
  { deadline, latest }: { readonly deadline: number; readonly latest: number },
): Result {
  const status = result.status as CommonStatus | undefined;
  const what = own.length === 0 ? 'what the last change did' : `${counted(own.length)} (${names(own)})`;
  const todo = own.length === 0 ? 'is still to be known' : 'still to be removed';
  const ends = `let go at ${timestamp(deadline)} at the latest, or at once with spec.deletionPolicy: Retain`;
  const says = (message: string): string =>
    message.startsWith(DELETING)
      ? message
      : `${DELETING}${what} ${todo}; ${ends}. In the way: ${message}`;
  const conditions = status?.conditions?.map(({ message, ...condition }) => ({
    ...condition,
    message: says(message),
  }));
  return {
    ...result,
    ...(conditions && { status: { ...status, conditions } }),
    next: result.next === 'on-change' ? { at: latest } : result.next,
  };
}
