import type { Context, Result } from '../../controller/kind.ts';
import { LAST_TRY_MS } from '../../waits.ts';
import { timestamp } from '../shared/canonical.ts';
import { refuseSpec } from '../shared/checks.ts';
import type { CommonStatus } from '../shared/common-status.ts';
import { whenDue } from '../shared/due.ts';
import { showPlan } from '../shared/planned.ts';
import { isVerified, ownershipOf } from '../shared/target.ts';
import { sameKey, type Tuple } from './endpoints/endpoints.ts';
import { counted, names, withPlace } from './endpoints/wording.ts';
import { leftEvents } from './events.ts';
import { cleanupGoal, type Goal } from './goal.ts';
import { oursIn } from './known.ts';
import { perform, type Setup } from './perform.ts';
import { previewOf } from './preview.ts';
import { addressOf } from './remote.ts';
import {
  FINALIZER,
  hasFinalizer,
  isValid,
  type Organization,
  type OrganizationSpec,
  parseSpec,
} from './resource.ts';
import { byAdoption } from './settle.ts';

/** What of an object's own is left at the API, and what stays because another object lists it. */
interface Left {
  readonly own: readonly Tuple[];
  readonly keptForOthers: readonly Tuple[];
}

type CleanupPlan =
  /** Takes the finalizer off; with a cause, `left.own` may be left at the API. */
  | { readonly type: 'let-go'; readonly left: Left; readonly because?: 'not-owner' | 'deadline' }
  /** The spec cannot be read, so nobody knows with which key to call. */
  | { readonly type: 'unreadable'; readonly problem: string }
  | { readonly type: 'attempt'; readonly spec: OrganizationSpec; readonly goal: Goal };

interface CleanupFacts {
  readonly others: readonly Organization[];
  readonly apiHash: string;
  /** Epoch ms. */
  readonly deadline: number;
  /** An attempt that this process began has failed: it may give up at the deadline. */
  readonly hasFailed: boolean;
  readonly now: number;
}

/** What is done about an object with our finalizer that is being deleted. Pure. */
export function planCleanup(object: Organization, facts: CleanupFacts): CleanupPlan {
  const { others, deadline, now, apiHash, hasFailed } = facts;
  const { deletionPolicy } = (object.spec ?? {}) as { readonly deletionPolicy?: unknown };
  const nothing = { own: [], keptForOthers: [] };
  if (deletionPolicy !== 'RemovePrivateEndpoints') return { type: 'let-go', left: nothing };
  const all = { ...nothing, own: oursIn(object.status ?? {}) };
  const ownership = ownershipOf(object, others, { apiHash, isValid });
  if (ownership.type !== 'owner') return { type: 'let-go', left: all, because: 'not-owner' };
  const parsed = parseSpec(object);
  if (!parsed.ok && now < deadline) return { type: 'unreadable', problem: parsed.message };
  if (!parsed.ok) return { type: 'let-go', left: all, because: 'deadline' };
  const goal = cleanupGoal(parsed.spec, listedBy(object, others, apiHash));
  const left = leftOf(object.status, goal);
  if (isClean(left, object.status)) return { type: 'let-go', left };
  if (now >= deadline && hasFailed) return { type: 'let-go', left, because: 'deadline' };
  return { type: 'attempt', spec: parsed.spec, goal };
}

/** What of the inventory, and of a change on its way, is this object's. */
function leftOf(status: Organization['status'] = {}, goal: Goal): Left {
  const privateEndpoints = status.privateEndpoints?.map((entry) => byAdoption(entry, goal));
  const ours = oursIn({ ...status, privateEndpoints });
  const isWanted = (tuple: Tuple): boolean => goal.wanted.has(sameKey(tuple));
  return { own: ours.filter((one) => !isWanted(one)), keptForOthers: ours.filter(isWanted) };
}

function isClean({ own }: Left, status: Organization['status']): boolean {
  return own.length === 0 && !status?.pendingChange;
}

/** What others list stays: those of the same namespace, and those whose own key works there. */
function listedBy(
  { metadata }: Organization,
  others: readonly Organization[],
  apiHash: string,
): readonly Tuple[] {
  return others.flatMap((other) => {
    const isNear = other.metadata.namespace === metadata.namespace;
    const isHeard = isNear || isVerified(other, { apiHash, isValid });
    const parsed = parseSpec(other);
    if (!isHeard || other.metadata.deletionTimestamp || !parsed.ok) return [];
    return parsed.spec.privateEndpoints ?? [];
  });
}

/**
 * The attempt with the goal "none of ours", whatever suspend, mode and cap say, until nothing is
 * left, or until the deadline. No wait passes that, and the last try is made before it.
 */
export async function cleanUp(
  object: Organization,
  context: Context<Organization>,
  setup: Setup,
): Promise<Result> {
  if (!hasFinalizer(object)) return { next: 'on-change', did: 'nothing' };
  const { planOnly, cleanupDeadlineMs } = setup.context;
  const { apiHash, failedCleanups } = setup;
  const { uid, deletionTimestamp = '' } = object.metadata;
  const deadline = planOnly
    ? Number.POSITIVE_INFINITY
    : Date.parse(deletionTimestamp) + cleanupDeadlineMs;
  const plan = (of: Organization): CleanupPlan => {
    const [others, hasFailed] = [setup.others(of), failedCleanups.has(uid)];
    return planCleanup(of, { others, apiHash, deadline, hasFailed, now: context.now() });
  };
  const planned = plan(object);
  const now = context.now();
  const lastTry = deadline - LAST_TRY_MS;
  const latest = now < lastTry ? lastTry : Math.max(deadline, now);
  const atLatest = (at = latest): Result['next'] =>
    planOnly ? 'on-change' : { at: Math.min(at, latest) };
  if (planned.type === 'let-go') return letGo(object, context, setup, planned);
  if (planned.type === 'unreadable')
    return { ...refuseSpec(object, planned.problem, now), next: atLatest() };
  const { spec, goal } = planned;
  if (planOnly) {
    const { hash } = addressOf(setup.context.api.baseUrl, spec.organizationId, goal);
    const preview = previewOf(object, spec.organizationId, goal, now);
    return showPlan(object, { preview, hash, isEmpty: false, how: WAITS_FOR_EVER, now });
  }
  const due = whenDue(object, setup.caller.factsOf(object), { confirmed: false, now });
  if (due.type === 'later') return { next: atLatest(due.at), did: 'nothing' };
  const isOverdue = now >= deadline;
  const { result, attempted } = await perform(object, context, setup, {
    ...{ spec, goal, due, latest },
    stillWanted: () => context.stillWanted() && (isOverdue || context.now() < deadline),
    refuse: (again) =>
      plan(again).type === 'attempt' ? undefined : { next: { at: now }, did: 'nothing' },
  });
  if (!attempted || !context.stillWanted()) return result;
  const left = leftOf(attempted.draft, goal);
  if (isClean(left, attempted.draft)) return letGo(object, context, setup, { left });
  failedCleanups.add(uid);
  if (context.now() >= deadline)
    return letGo(object, context, setup, { left, because: 'deadline' });
  const next = result.next === 'on-change' ? atLatest() : result.next;
  return { ...whileDeleting(result, left, deadline), next };
}

/** Events say what is left: the last status of an object that is gone is read by nobody. */
async function letGo(
  object: Organization,
  context: Context<Organization>,
  { context: { announce }, failedCleanups }: Setup,
  { left, because }: Omit<Extract<CleanupPlan, { type: 'let-go' }>, 'type'>,
): Promise<Result> {
  const { organizationId = '' } = (object.spec ?? {}) as { readonly organizationId?: string };
  const abandoned = because === undefined ? [] : left.own;
  const events = leftEvents(organizationId, abandoned, left.keptForOthers, because ?? 'deadline');
  // Before the finalizer goes: for example, if the answer to that is lost, nobody may be left to
  // say it. A namespace that is being deleted takes no events, so the Lease gets them too.
  for (const event of events) {
    context.emit(event);
    if (event.reason === 'CleanupAbandoned') announce(event);
  }
  if (!(await context.finalizer(FINALIZER, false)))
    return { next: { at: context.now() + 1_000 }, did: 'nothing' };
  failedCleanups.delete(object.metadata.uid);
  if (abandoned.length === 0) return { next: 'on-change', did: 'release', facts: {} };
  const facts = { organizationId, left: abandoned.map(withPlace).join(', ') };
  return { next: 'on-change', did: 'abandon', facts, counts: { abandoned: abandoned.length } };
}

const WAITS_FOR_EVER =
  'the operator runs with --plan-only, so the deletion waits without deadline; set spec.deletionPolicy to Retain to delete the object at once';

/** Begins the message of an object whose deletion waits. */
const DELETING = 'Being deleted: ';

/** That it is one, what is left, how it ends, and what is in the way. */
function whileDeleting(result: Result, { own }: Left, deadline: number): Result {
  const status = result.status as CommonStatus | undefined;
  const what =
    own.length === 0
      ? 'it is not known yet what the last change did'
      : `still to be removed: ${counted(own.length)} (${names(own)})`;
  const ends = `let go at ${timestamp(deadline)} at the latest, or at once with spec.deletionPolicy: Retain`;
  const says = (message: string): string =>
    message.startsWith(DELETING) ? message : `${DELETING}${what}; ${ends}. In the way: ${message}`;
  const conditions = status?.conditions?.map((one) => ({ ...one, message: says(one.message) }));
  return { ...result, ...(conditions && { status: { ...status, conditions } }) };
}
