import type { Context, Result } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
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
import { oursIn } from './inventory.ts';
import { type Setup, tryOnce } from './perform.ts';
import { previewOf } from './preview.ts';
import { addressOf } from './remote.ts';
import {
  FINALIZER,
  hasFinalizer,
  mayRemove,
  type Organization,
  type OrganizationSpec,
  organizationType,
  parseSpec,
} from './resource.ts';
import { byAdoption } from './settle.ts';

/** What of an object's own is left at the API, and what stays because another object lists it. */
interface Left {
  readonly own: readonly Tuple[];
  readonly keptForOthers: readonly Tuple[];
}

type CleanupPlan =
  /** Takes the finalizer off. `because`: the end of a sentence on why `left.own` stays. */
  | { readonly type: 'let-go'; readonly left: Left; readonly because?: string }
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

const NOTHING: Left = { own: [], keptForOthers: [] };
const NOT_OWNER = ' without a request, because another object owns the organization';
const TOO_LATE = ', because --cleanup-deadline has passed';

/** What is done about an object with our finalizer that is being deleted. Pure. */
export function planCleanup(object: Organization, facts: CleanupFacts): CleanupPlan {
  const { others, apiHash } = facts;
  const { status = {} } = object;
  if (!mayRemove(object)) return { type: 'let-go', left: NOTHING };
  if (ownershipOf(object, others, { apiHash, isValid }).type !== 'owner')
    return { type: 'let-go', left: { ...NOTHING, own: oursIn(status) }, because: NOT_OWNER };
  const parsed = parseSpec(object);
  if (!parsed.ok) return { type: 'unreadable', problem: parsed.message };
  const goal = cleanupGoal(parsed.spec, listedBy(object, others, apiHash));
  const left = leftOf(status, goal);
  if (isClean(left, status)) return { type: 'let-go', left };
  const isOver = facts.now >= facts.deadline && facts.hasFailed;
  if (isOver) return { type: 'let-go', left, because: TOO_LATE };
  return { type: 'attempt', spec: parsed.spec, goal };
}

function isValid(object: KubeObject): boolean {
  return parseSpec(object).ok;
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
  { metadata: { namespace } }: Organization,
  others: readonly Organization[],
  apiHash: string,
): readonly Tuple[] {
  return others.flatMap((other) => {
    const isNear = other.metadata.namespace === namespace;
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
  const { uid, deletionTimestamp = '' } = object.metadata;
  const deadline = Date.parse(deletionTimestamp) + cleanupDeadlineMs;
  const now = context.now();
  const plan = (of: Organization): CleanupPlan => {
    const hasFailed = setup.failedCleanups.has(uid) && !planOnly;
    const facts = { apiHash: setup.apiHash, others: setup.others(of), deadline, hasFailed };
    return planCleanup(of, { ...facts, now: context.now() });
  };
  const planned = plan(object);
  if (planned.type === 'let-go')
    return letGo(object, context, setup, planned.left, planned.because);
  if (planned.type === 'unreadable') return refuseSpec(object, planned.problem, now);
  const { spec, goal } = planned;
  if (planOnly) return showCleanup(object, planned, setup, now);
  const lastTry = deadline - LAST_TRY_MS;
  const latestFrom = (at: number) => (at < lastTry ? lastTry : Math.max(deadline, at));
  const latest = latestFrom(now);
  const due = whenDue(object, setup.caller.factsOf(object), { confirmed: false, now });
  if (due.type === 'later')
    return { next: { at: Math.min(due.at ?? latest, latest) }, did: 'nothing' };
  const isOverdue = now >= deadline;
  const stillWanted = (): boolean =>
    context.stillWanted() && (isOverdue || context.now() < deadline);
  const wish = { ref: spec.credentialsSecretRef, ...due };
  return setup.caller.perform(object, context, wish, async (calls, none) => {
    const began = context.object();
    // What was true before the wait may not be any more.
    if (plan(began).type !== 'attempt') return { next: { at: now }, did: 'nothing' };
    const wanted = { spec, goal, due, latest, stillWanted };
    const { result, draft } = await tryOnce(began, context, setup, wanted, calls, none);
    if (!context.stillWanted()) return result;
    const left = leftOf(draft, goal);
    const isOver = isClean(left, draft);
    if (!isOver) setup.failedCleanups.add(uid);
    if (!isOver && context.now() < deadline) {
      // The attempt may have outlasted the time of the last try.
      const bound = latestFrom(context.now());
      return whileDeleting(result, left, deadline, bound);
    }
    const released = await letGo(began, context, setup, left, isOver ? undefined : TOO_LATE);
    return { ...released, events: result.events ?? [] };
  });
}

/** Under `--plan-only` nothing is removed for a deletion either. */
function showCleanup(
  object: Organization,
  { spec, goal }: Extract<CleanupPlan, { type: 'attempt' }>,
  { context }: Setup,
  now: number,
): Result {
  const { hash } = addressOf(context.api.baseUrl, spec.organizationId, goal);
  const preview = previewOf(object, spec.organizationId, goal, now);
  const how =
    'the operator runs with --plan-only, so the deletion waits without deadline; set spec.deletionPolicy to Retain to delete the object at once';
  return showPlan(object, { preview, hash, isEmpty: false, how, now });
}

/** Events say what is left: the last status of an object that is gone is read by nobody. */
async function letGo(
  object: Organization,
  context: Context<Organization>,
  { context: { announce, log }, failedCleanups }: Setup,
  left: Left,
  because: string | undefined,
): Promise<Result> {
  const { organizationId = '' } = (object.spec ?? {}) as { readonly organizationId?: string };
  const abandoned = because === undefined ? [] : left.own;
  // Before the finalizer goes: for example, if the answer to that is lost, nobody may be left to
  // say it. A namespace that is being deleted takes no events, so the Lease gets them too.
  for (const event of leftEvents(organizationId, abandoned, left.keptForOthers, because ?? '')) {
    context.emit(event);
    if (event.reason === 'CleanupAbandoned') announce(event);
  }
  const { namespace, name, uid } = object.metadata;
  if (abandoned.length > 0) {
    const names = abandoned.map(withPlace).join(', ');
    const fields = { kind: organizationType.kind, namespace, name, organizationId, left: names };
    log.warn(fields, 'deleting an Organization with private endpoints left at the API');
  }
  if (!(await context.finalizer(FINALIZER, false))) return { next: 'on-change', did: 'nothing' };
  failedCleanups.delete(uid);
  if (abandoned.length === 0) return { next: 'on-change', did: 'release', facts: {} };
  return { next: 'on-change', did: 'abandon', counts: { abandoned: abandoned.length } };
}

/** Begins the message of an object whose deletion waits. */
const DELETING = 'Being deleted: ';

/** That it is one, what is left, how it ends, and what is in the way. */
function whileDeleting(result: Result, { own }: Left, deadline: number, latest: number): Result {
  const status: CommonStatus = result.status ?? {};
  const still = `still to be removed: ${counted(own.length)} (${names(own)})`;
  const what = own.length === 0 ? 'it is not known yet what the last change did' : still;
  const ends = `let go at ${timestamp(deadline)} at the latest, or at once with spec.deletionPolicy: Retain`;
  const says = (message: string): string =>
    message.startsWith(DELETING) ? message : `${DELETING}${what}; ${ends}. In the way: ${message}`;
  const conditions = status.conditions?.map((one) => ({ ...one, message: says(one.message) }));
  const next = { at: result.next === 'on-change' ? latest : Math.min(result.next.at, latest) };
  return { ...result, next, status: { ...status, conditions } };
}
