import type { Context, Result } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { LAST_TRY_MS } from '../../waits.ts';
import { timestamp } from '../shared/canonical.ts';
import { refuseSpec, showPlan } from '../shared/checks.ts';
import type { CommonStatus } from '../shared/common-status.ts';
import { whenDue } from '../shared/due.ts';
import { isVerified, ownershipOf } from '../shared/target.ts';
import { attempt } from './attempt.ts';
import { cleanupGoal, type Goal, oursIn } from './decide.ts';
import { counted, names, sameKey, type Tuple, withPlace } from './endpoints.ts';
import { abandonedEvents, eventsOf } from './events.ts';
import { previewOf } from './preview.ts';
import { addressOf } from './remote.ts';
import * as resource from './resource.ts';
import { byAdoption } from './settle.ts';
import type { Setup } from './work.ts';

type Organization = resource.Organization;

/** What stays at the API, of that some as others list it; `because` ends a sentence on why. */
interface Left {
  readonly own: readonly Tuple[];
  readonly keptForOthers?: readonly Tuple[];
  readonly because?: string;
}

type CleanupPlan =
  | { readonly type: 'let-go'; readonly left: Left }
  | { readonly type: 'unreadable'; readonly problem: string }
  | { readonly type: 'attempt'; readonly goal: Goal };

const NOT_OWNER = ' without a request, because another object owns the organization';
const TOO_LATE = ', because --cleanup-deadline has passed';
const PLAN_ONLY =
  'the operator runs with --plan-only, so the deletion waits without deadline; set spec.deletionPolicy to Retain to delete the object at once';

/**
 * What is done about an object with our finalizer that is being deleted. Pure. `isOver`: an attempt
 * that this process began has failed, and the deadline has passed.
 */
export function planCleanup(
  object: Organization,
  others: readonly Organization[],
  { apiHash, isOver }: Pick<Setup, 'apiHash'> & { readonly isOver: boolean },
): CleanupPlan {
  const { status = {} } = object;
  if (!resource.mayRemove(object)) return { type: 'let-go', left: { own: [] } };
  if (ownershipOf(object, others, { apiHash, isValid }).type !== 'owner')
    return { type: 'let-go', left: { own: oursIn(status), because: NOT_OWNER } };
  const parsed = resource.parseSpec(object);
  if (!parsed.ok) return { type: 'unreadable', problem: parsed.message };
  const goal = cleanupGoal(parsed.spec, listedBy(object, others, apiHash));
  const left = leftOf(status, goal);
  return isOver || isClean(left, status) ? { type: 'let-go', left } : { type: 'attempt', goal };
}

function isValid(object: KubeObject): boolean {
  return resource.parseSpec(object).ok;
}

function leftOf(status: resource.OrganizationStatus, goal: Goal): Left {
  const privateEndpoints = status.privateEndpoints?.map((entry) => byAdoption(entry, goal));
  const ours = oursIn({ ...status, privateEndpoints });
  const isWanted = (tuple: Tuple): boolean => goal.wanted.has(sameKey(tuple));
  const own = ours.filter((one) => !isWanted(one));
  return { own, keptForOthers: ours.filter(isWanted), because: TOO_LATE };
}

function isClean({ own }: Left, { pendingChange }: resource.OrganizationStatus): boolean {
  return own.length === 0 && !pendingChange;
}

/** What others list stays: those of the same namespace, and those whose own key works there. */
function listedBy(own: Organization, others: readonly Organization[], apiHash: string): Tuple[] {
  return others.flatMap((other) => {
    const isNear = other.metadata.namespace === own.metadata.namespace;
    const isHeard = isNear || isVerified(other, { apiHash, isValid });
    const parsed = resource.parseSpec(other);
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
  if (!resource.hasFinalizer(object)) return { next: 'on-change', did: 'nothing' };
  const { kind, apiHash, caller, failedCleanups } = setup;
  const { uid, deletionTimestamp = '' } = object.metadata;
  const deadline = Date.parse(deletionTimestamp) + kind.cleanupDeadlineMs;
  const isOverdue = (): boolean => context.now() >= deadline;
  const planFor = (of: Organization): CleanupPlan => {
    const isOver = isOverdue() && failedCleanups.has(uid) && !kind.planOnly;
    return planCleanup(of, setup.others(of), { apiHash, isOver });
  };
  const now = context.now();
  const plan = planFor(object);
  if (plan.type === 'let-go') return letGo(object, context, setup, plan.left);
  if (plan.type === 'unreadable') return refuseSpec(object, plan.problem, now);
  const { goal } = plan;
  // Under `--plan-only` nothing is removed for a deletion either.
  if (kind.planOnly) {
    const preview = previewOf(object, goal, now);
    const { hash } = addressOf(kind.api.baseUrl, goal);
    return showPlan(object, { preview, hash, isEmpty: false, how: PLAN_ONLY, now });
  }
  const latest = latestFrom(now, deadline);
  const due = whenDue(object, caller.factsOf(object), { confirmed: false, now });
  if (due.type === 'later')
    return { next: { at: Math.min(due.at ?? latest, latest) }, did: 'nothing' };
  const isLate = isOverdue();
  const stillWanted = (): boolean => context.stillWanted() && (isLate || !isOverdue());
  const asked = { ref: goal.credentialsSecretRef, ...due };
  return caller.perform(object, context, asked, async (calls, none) => {
    const began = context.object();
    // What was true before the wait may not be any more.
    if (planFor(began).type !== 'attempt') return { next: { at: now }, did: 'nothing' };
    const wish = { ...due, began, context, calls, goal, stillWanted };
    const result = await attempt(setup, wish, none);
    if (!context.stillWanted()) return result;
    const left = leftOf(result.status, goal);
    const isDone = isClean(left, result.status);
    if (!isDone) failedCleanups.add(uid);
    if (!isDone && !isOverdue()) return whileDeleting(result, left, deadline, context.now());
    const released = await letGo(began, context, setup, left);
    return { ...released, events: result.events ?? [] };
  });
}

/** Epoch ms of the next try at the latest. */
function latestFrom(now: number, deadline: number): number {
  return now < deadline - LAST_TRY_MS ? deadline - LAST_TRY_MS : Math.max(deadline, now);
}

/** Events say what is left: the last status of an object that is gone is read by nobody. */
async function letGo(
  object: Organization,
  context: Context<Organization>,
  { kind: { announce, log }, failedCleanups }: Setup,
  { own, keptForOthers = [], because = '' }: Left,
): Promise<Result> {
  const { namespace, name, uid } = object.metadata;
  const { organizationId = '' } = (object.spec ?? {}) as { readonly organizationId?: string };
  // Before the finalizer goes: for example, if the answer to that is lost, nobody may be left to
  // say it. A namespace that is being deleted takes no events, so the Lease gets them too.
  for (const event of eventsOf('kept-for-others', keptForOthers)) context.emit(event);
  for (const event of abandonedEvents(organizationId, because, own)) {
    context.emit(event);
    announce(event);
  }
  if (own.length > 0) {
    const left = own.map(withPlace).join(', ');
    const fields = { kind: resource.organizationType.kind, namespace, name, organizationId, left };
    log.warn(fields, 'deleting an Organization with private endpoints left at the API');
  }
  if (!(await context.finalizer(resource.FINALIZER, false)))
    return { next: 'on-change', did: 'nothing' };
  failedCleanups.delete(uid);
  if (own.length === 0) return { next: 'on-change', did: 'release', facts: {} };
  return { next: 'on-change', did: 'abandon', counts: { abandoned: own.length } };
}

const DELETING = 'Being deleted: ';

/** That it is one, what is left, how it ends, and what is in the way. */
function whileDeleting(result: Result, { own }: Left, deadline: number, now: number): Result {
  // The attempt may have outlasted the time of the last try.
  const latest = latestFrom(now, deadline);
  const status: CommonStatus = result.status ?? {};
  const still = `still to be removed: ${counted(own.length)} (${names(own)})`;
  const what = own.length === 0 ? 'it is not known yet what the last change did' : still;
  const ends = `let go at ${timestamp(deadline)} at the latest, or at once with spec.deletionPolicy: Retain`;
  const says = (message: string): string =>
    message.startsWith(DELETING) ? message : `${DELETING}${what}; ${ends}. In the way: ${message}`;
  const conditions = status.conditions?.map((one) => ({ ...one, message: says(one.message) }));
  const next = { at: result.next === 'on-change' ? latest : Math.min(result.next.at, latest) };
  const { nextAttemptTime: at } = status;
  const nextAttemptTime = at && timestamp(Math.min(Date.parse(at), latest));
  return { ...result, next, status: { ...status, conditions, nextAttemptTime } };
}
