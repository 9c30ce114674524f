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
import { abandonedEvents } from './events.ts';
import { previewOf } from './preview.ts';
import { addressOf } from './remote.ts';
import * as resource from './resource.ts';
import { byAdoption } from './settle.ts';
import type { Setup } from './work.ts';

type Organization = resource.Organization;
type Endpoints = readonly Tuple[];

/** `left`: what may be left at the API; `because` ends a sentence on why. */
type CleanupPlan =
  | { readonly type: 'let-go'; readonly left: Endpoints; readonly because?: string }
  | { readonly type: 'unreadable'; readonly problem: string }
  | { readonly type: 'attempt'; readonly goal: Goal };

const NOT_OWNER = ' without a request, because another object owns the organization';
const NOTHING: Result = { next: 'on-change', did: 'nothing' };
const DELETING = 'Being deleted: ';
const TOO_LATE = ', because --cleanup-deadline has passed';
const PLAN_ONLY =
  'the operator runs with --plan-only, so the deletion waits without deadline; set spec.deletionPolicy to Retain to delete the object at once';

/**
 * What is done about an object with our finalizer that is being deleted. Pure. `isOver`: an attempt
 * that this process began has failed, and the deadline has passed.
 */
function planCleanup(
  object: Organization,
  others: readonly Organization[],
  { apiHash, isOver }: Pick<Setup, 'apiHash'> & { readonly isOver: boolean },
): CleanupPlan {
  const { status = {} } = object;
  if (!resource.mayRemove(object)) return { type: 'let-go', left: [] };
  if (ownershipOf(object, others, { apiHash, isValid }).type !== 'owner')
    return { type: 'let-go', left: oursIn(status), because: NOT_OWNER };
  const parsed = resource.parseSpec(object);
  if (!parsed.ok) return { type: 'unreadable', problem: parsed.message };
  const goal = cleanupGoal(parsed.spec, listedBy(object, others, apiHash));
  const left = leftOf(status, goal);
  if (!isOver && !isClean(left, status)) return { type: 'attempt', goal };
  return { type: 'let-go', left, because: TOO_LATE };
}

const isValid = (object: KubeObject): boolean => resource.parseSpec(object).ok;

function leftOf(status: resource.OrganizationStatus, goal: Goal): Endpoints {
  const privateEndpoints = status.privateEndpoints?.map((entry) => byAdoption(entry, goal));
  return oursIn({ ...status, privateEndpoints }).filter((one) => !goal.wanted.has(sameKey(one)));
}

function isClean(left: Endpoints, { pendingChange }: resource.OrganizationStatus): boolean {
  return left.length === 0 && !pendingChange;
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
  if (!resource.hasFinalizer(object)) return NOTHING;
  const { kind, apiHash, caller, ways } = setup;
  const deadline = Date.parse(object.metadata.deletionTimestamp ?? '') + kind.cleanupDeadlineMs;
  const isOverdue = (): boolean => context.now() >= deadline;
  const planFor = (of: Organization): CleanupPlan => {
    const isOver = isOverdue() && ways.hasFailedCleanup && !kind.planOnly;
    return planCleanup(of, setup.others(of), { apiHash, isOver });
  };
  const now = context.now();
  const plan = planFor(object);
  if (plan.type === 'let-go') return letGo(object, context, setup, plan);
  if (plan.type === 'unreadable') return refuseSpec(object, plan.problem, now);
  const { goal } = plan;
  // Under `--plan-only` nothing is removed for a deletion either.
  if (kind.planOnly) {
    const preview = previewOf(object, goal, now, apiHash);
    const { hash } = addressOf(kind.api.baseUrl, goal);
    return showPlan(object, { preview, hash, isEmpty: false, how: PLAN_ONLY, now });
  }
  const due = whenDue(object, caller.factsOf(object), { confirmed: false, now });
  if (due.type === 'later') return { next: nextTry(due.at, deadline, now), did: 'nothing' };
  const asked = { ref: goal.credentialsSecretRef, ...due };
  return caller.perform(object, context, asked, async (calls, none) => {
    const began = context.object();
    // A wait that has passed the deadline leaves it one try.
    const isLast = isOverdue();
    const stillWanted = () => context.stillWanted() && (isLast || !isOverdue());
    // What was true before the wait may not be any more.
    if (planFor(began).type !== 'attempt') return { next: { at: now }, did: 'nothing' };
    const result = await attempt(setup, { ...due, began, context, calls, goal, stillWanted }, none);
    if (none?.type === 'not-wanted' || !context.stillWanted()) return result;
    const left = leftOf(result.status, goal);
    const isDone = isClean(left, result.status);
    ways.hasFailedCleanup ||= !isDone;
    if (!isDone && !isOverdue()) return whileDeleting(result, left, deadline, context.now());
    const released = await letGo(began, context, setup, { left, because: TOO_LATE });
    return { ...released, events: result.events };
  });
}

/** At this time, but no later than the last try, or, once that has been made, the deadline. */
function nextTry(at: number | undefined, deadline: number, now: number) {
  const lastTry = deadline - LAST_TRY_MS;
  const latest = now < lastTry ? lastTry : Math.max(deadline, now);
  return { at: Math.min(at ?? latest, latest) };
}

/** Events say what is left: the last status of an object that is gone is read by nobody. */
async function letGo(
  object: Organization,
  context: Context<Organization>,
  { kind: { announce, log } }: Setup,
  { left, because = '' }: { readonly left: Endpoints; readonly because?: string },
): Promise<Result> {
  const { namespace, name } = object.metadata;
  const organizationId = resource.targetOf(object) ?? '';
  // Before the finalizer goes: for example, if the answer to that is lost, nobody may be left to
  // say it. A namespace that is being deleted takes no events, so the Lease gets them too.
  for (const event of abandonedEvents(organizationId, because, left)) {
    context.emit(event);
    announce(event);
  }
  if (left.length > 0) {
    const about = { kind: resource.organizationType.kind, namespace, name, organizationId };
    const fields = { ...about, left: left.map(withPlace).join(', ') };
    log.warn(fields, 'deleting an Organization whose private endpoints may be left at the API');
  }
  if (!(await context.finalizer(resource.FINALIZER, false))) return NOTHING;
  if (left.length === 0) return { next: 'on-change', did: 'release', facts: {} };
  return { next: 'on-change', did: 'abandon', counts: { abandoned: left.length } };
}

/** That it is one, what is left, how it ends, and what is in the way. */
function whileDeleting(result: Result, left: Endpoints, deadline: number, now: number): Result {
  const status: CommonStatus = result.status ?? {};
  const still = `still to be removed: ${counted(left.length)} (${names(left)})`;
  const what = left.length === 0 ? 'it is not known yet what the last change did' : still;
  const ends = `the object is deleted at ${timestamp(deadline)} at the latest, or at once with spec.deletionPolicy: Retain`;
  const says = (message: string): string =>
    message.startsWith(DELETING) ? message : `${DELETING}${what}; ${ends}. In the way: ${message}`;
  const conditions = status.conditions?.map((one) => ({ ...one, message: says(one.message) }));
  const next = nextTry(result.next === 'on-change' ? undefined : result.next.at, deadline, now);
  // Its own time, at which it may try a refused key, also where it had to wait for another's trial.
  const nextAttemptTime = timestamp(next.at);
  return { ...result, next, status: { ...status, conditions, nextAttemptTime } };
}
