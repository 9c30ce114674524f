import { cutText } from '../../controller/conditions.ts';
import type { CommonPlan } from '../engine/plan.ts';
import { plannedSummary } from '../status/planned.ts';
import { isSuperseded } from '../target/target.ts';
import { isAltered, wantingAltered } from './attempt/differences.ts';
import { type FieldChange, intendedChanges } from './attempt/history.ts';
import type { Call, Change, Decision } from './attempt/next-step.ts';
import { rehearse } from './attempt/rehearsal.ts';
import { type Work, workOf } from './attempt/session.ts';
import { type Reported, sameKey, type Tuple, tupleOf } from './endpoints/endpoints.ts';
import { storedEntries } from './endpoints/reply.ts';
import { counted, names } from './endpoints/wording.ts';
import { type Goal, isOurs, managesEndpoints } from './goal.ts';
import { LIMITS } from './limits.ts';
import type { Facts } from './load.ts';
import { addressOf } from './remote.ts';
import type { LedgerEntry, Organization, OrganizationStatus } from './resource.ts';

/** What `Plan` mode, or `--plan-only`, shows: to the letter what Apply would send. */
export interface Preview extends Extract<CommonPlan, { do: 'preview' }> {
  readonly plan: Omit<NonNullable<OrganizationStatus['plan']>, 'time'>;
}

/** The same before it is cut to the size of a status. */
export interface Outlook {
  readonly path: string;
  readonly hash: string;
  readonly basis: Preview['plan']['basis'];
  /** The JSON texts that would be sent, one after another; the first is a look. */
  readonly bodies: readonly string[];
  readonly changes: readonly FieldChange[];
  /** What would be sent, in words. */
  readonly says: string;
  /** Known to be as declared: nothing would change. */
  readonly isEmpty: boolean;
  /** What follows the look depends on what it shows. */
  readonly isOnlyLook: boolean;
  /** More removals than the spec allows: these keep everything from being sent. */
  readonly blocked: readonly Tuple[];
}

export function previewOf(
  object: Organization,
  facts: Facts,
  { spec, goal, now }: Pick<Work, 'spec' | 'goal'> & { readonly now: number },
): Preview {
  const { path, hash, basis, bodies, changes, says, isEmpty } = outlookOf(object, facts, {
    spec,
    goal,
    now,
  });
  const summary = plannedSummary({
    changes: changes.length,
    isEmpty,
    notSent: `${goal.isCleanup ? 'before this object is deleted, ' : ''}${says}`,
    basis:
      basis === 'Unknown'
        ? 'the state at the API is not known yet'
        : 'compared with the last response',
    planOnly: goal.isCleanup || spec.mode !== 'Plan',
  });
  const requests = bodies.slice(0, LIMITS.planRequests).map((body) => ({
    method: 'PATCH' as const,
    path,
    body: cutText(body, LIMITS.body),
  }));
  return {
    do: 'preview',
    summary,
    plan: { basis, hash, requests, changes: changes.slice(0, LIMITS.planChanges) },
  };
}

/** What an attempt would send while the API still holds what its last reply showed. */
export function outlookOf(
  object: Organization,
  facts: Facts,
  { spec, goal, now }: Pick<Work, 'spec' | 'goal'> & { readonly now: number },
): Outlook {
  const { status } = object;
  const { path, hash } = addressOf(facts.baseUrl, spec.organizationId, goal);
  const list = lastList(status);
  // What may be on its way is asked for before anything else.
  const isUnknown =
    status?.pendingChange !== undefined || (managesEndpoints(goal) && list === undefined);
  // Of what follows the look, only what is declared is told: as if nothing were on its way.
  const work = workOf(isUnknown ? withoutPending(object) : object, facts, { spec, goal, now });
  const held = { name: status?.organization?.name, list: isUnknown ? recorded(status) : list };
  const { calls, seen, decision } = rehearse(object, work, held, now);
  const { blocked } = decision;
  const intent = changesOf(calls, decision);
  const changes = intendedChanges(status, goal, intent);
  const isOnlyLook = isUnknown || blocked !== undefined;
  const bodies = calls.slice(0, isOnlyLook ? 1 : calls.length).map(({ body }) => body);
  const ledger = seen.session.draft.privateEndpoints ?? [];
  const sends = isUnknown
    ? 'one PATCH that reads the list of private endpoints; what follows depends on that list'
    : blocked
      ? blockedLook(blocked, goal)
      : describe(bodies.length, decision.name, intent) + left(decision.conflicts);
  const adopts = takenOver(goal, { before: status?.privateEndpoints, ledger, isUnknown });
  const basis = isUnknown || status?.organization === undefined ? 'Unknown' : 'LastResponse';
  return {
    path,
    hash,
    basis,
    bodies,
    changes,
    says: sends + adopts,
    // Nothing is left to apply where nobody is known to have changed the organization since.
    isEmpty:
      basis === 'LastResponse' &&
      !isSuperseded(facts.standing, now) &&
      !facts.hasUnrecordedWrite &&
      status?.lastRequest?.outcome !== 'Unknown' &&
      changes.length === 0 &&
      adopts === '' &&
      isReached(goal, ledger, status),
    isOnlyLook,
    blocked: blocked ?? [],
  };
}

function withoutPending(object: Organization): Organization {
  const { pendingChange: _, ...status } = object.status ?? {};
  return { ...object, status };
}

/** All that the calls add and remove; or, where nothing may be sent, what was decided. */
function changesOf(calls: readonly Call[], { add, remove, blocked }: Decision): Change {
  if (blocked) return { add, remove };
  const sent = calls.flatMap((call) => (call.step === 'send' ? [call.pending] : []));
  return {
    add: sent.flatMap((change) => change.add),
    remove: sent.flatMap((change) => change.remove),
  };
}

function blockedLook(blocked: readonly Tuple[], { mostRemovals }: Goal): string {
  return `one PATCH that reads the list of private endpoints, and nothing else: ${counted(blocked.length)} would be removed (${names(blocked)}), but spec.maxPrivateEndpointRemovals allows ${mostRemovals}`;
}

/** Whether the last list has all that is declared and nothing of ours besides. */
function isReached(
  goal: Goal,
  ledger: readonly LedgerEntry[],
  status: OrganizationStatus | undefined,
): boolean {
  const declared = goal.isCleanup ? [] : (goal.endpoints ?? []);
  const isFor = (endpoint: Tuple, entry: LedgerEntry): boolean =>
    sameKey(endpoint) === sameKey(entry) || isAltered(status?.differences, endpoint, entry);
  const isThere = (endpoint: Tuple): boolean =>
    ledger.some((entry) => entry.state === 'Present' && isFor(endpoint, entry));
  const { wanted } = wantingAltered(goal, { ...status, privateEndpoints: ledger });
  const isWanted = (entry: LedgerEntry): boolean => wanted.has(sameKey(entry));
  return (
    declared.every(isThere) && (!managesEndpoints(goal) || ledger.filter(isOurs).every(isWanted))
  );
}

/** What the look makes this object's own, so that it may be removed later. */
function takenOver(
  goal: Goal,
  seen: {
    readonly before: readonly LedgerEntry[] | undefined;
    readonly ledger: readonly LedgerEntry[];
    readonly isUnknown: boolean;
  },
): string {
  if (!goal.adopt || goal.isCleanup) return '';
  const owned = new Set(seen.before?.filter(isOurs).map(sameKey));
  const isNew = (tuple: Tuple): boolean => !owned.has(sameKey(tuple));
  const adopted = seen.ledger.filter((entry) => entry.origin === 'Adopted' && isNew(entry));
  const isOpen = seen.isUnknown && goal.endpoints?.some(isNew);
  if (adopted.length === 0 && !isOpen) return '';
  const what = isOpen ? 'those of spec.privateEndpoints that are already there' : names(adopted);
  return `; adoptPrivateEndpoints makes this object the owner of ${what}: it removes them when they are no longer listed`;
}

function left(conflicts: readonly Tuple[]): string {
  if (conflicts.length === 0) return '';
  return `; not touched: ${names(conflicts)}, because the API has the id with another cloudProvider or region`;
}

/** The list of the last reply, where all of it is kept. */
function lastList(status: OrganizationStatus | undefined): readonly Reported[] | undefined {
  const { privateEndpoints, privateEndpointsTotal = 0 } = status?.organization ?? {};
  if (!privateEndpoints || privateEndpointsTotal > privateEndpoints.length) return undefined;
  return storedEntries(status);
}

/** What the ledger has seen there, where the list of the last reply is not known, or not whole. */
function recorded(status: OrganizationStatus | undefined): readonly Reported[] {
  return (status?.privateEndpoints ?? []).filter(({ state }) => state === 'Present').map(tupleOf);
}

function describe(
  requests: number,
  name: string | undefined,
  { add, remove }: { readonly add: readonly unknown[]; readonly remove: readonly unknown[] },
): string {
  const parts = [
    ...(name === undefined ? [] : ['set the name']),
    ...(add.length > 0 ? [`add ${counted(add.length)}`] : []),
    ...(remove.length > 0 ? [`remove ${counted(remove.length)}`] : []),
  ];
  if (parts.length === 0) return 'one PATCH that reads the list and changes nothing';
  return `${requests} PATCH requests, one after another: read the list, then ${parts.join(', ')}`;
}
