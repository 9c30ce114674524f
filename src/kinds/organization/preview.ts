import { cutText } from '../../controller/conditions.ts';
import type { CommonPlan } from '../engine/plan.ts';
import { plannedSummary } from '../status/planned.ts';
import { isSuperseded } from '../target/target.ts';
import { isAltered, wantingAltered } from './attempt/differences.ts';
import { intendedChanges } from './attempt/history.ts';
import { type Change, type Decision, decide } from './attempt/next-step.ts';
import type { Work } from './attempt/session.ts';
import { Listing, plain, sameKey, type Tuple, tupleOf } from './endpoints/endpoints.ts';
import { storedEntries } from './endpoints/reply.ts';
import { counted, names } from './endpoints/wording.ts';
import { type Goal, isOurs, managesEndpoints } from './goal.ts';
import { settle } from './ledger/ledger.ts';
import { LIMITS } from './limits.ts';
import type { Facts } from './load.ts';
import { addressOf, changeBody, LOOK_BODY, nameBody } from './remote.ts';
import type {
  DeclaredEndpoint,
  LedgerEntry,
  Organization,
  OrganizationStatus,
} from './resource.ts';

/** What `Plan` mode, or `--plan-only`, shows: to the letter what Apply would send. */
export interface Preview extends Extract<CommonPlan, { do: 'preview' }> {
  readonly plan: Omit<NonNullable<OrganizationStatus['plan']>, 'time'>;
}

export function previewOf(
  { status }: Organization,
  { baseUrl, standing, hasUnrecordedWrite }: Facts,
  { spec, goal, now }: Pick<Work, 'spec' | 'goal'> & { readonly now: number },
): Preview {
  const { path, hash } = addressOf(baseUrl, spec.organizationId, goal);
  const list = lastList(status);
  // What may be on its way is asked for before anything else.
  const isUnknown = managesEndpoints(goal) && (!list || status?.pendingChange !== undefined);
  const seen = isUnknown ? recorded(status) : (list ?? new Listing([]));
  const { ledger, decision } = decided(status, { goal, list: seen, now });
  const { blocked } = decision;
  const later = isUnknown ? [] : afterRemoval(goal, ledger, decision.remove);
  const all = allOf(decision);
  const intent = { add: [...all.add, ...later], remove: all.remove };
  const changes = intendedChanges(status, goal, intent);
  const isOnlyLook = isUnknown || blocked !== undefined;
  const bodies = [LOOK_BODY, ...(isOnlyLook ? [] : changeBodies(goal, decision, later))];
  const said = isUnknown
    ? 'one PATCH that reads the list of private endpoints; what follows depends on that list'
    : blocked
      ? blockedLook(blocked, goal)
      : describe(bodies.length, decision.name, intent) + left(decision.conflicts);
  const basis = isUnknown || status?.organization === undefined ? 'Unknown' : 'LastResponse';
  const summary = plannedSummary({
    changes: changes.length,
    // Nothing is left to apply where nobody is known to have changed the organization since.
    isEmpty:
      basis === 'LastResponse' &&
      !isSuperseded(standing, now) &&
      !hasUnrecordedWrite &&
      status?.lastRequest?.outcome !== 'Unknown' &&
      changes.length === 0 &&
      isReached(goal, ledger, status),
    notSent: `${goal.isCleanup ? 'before this object is deleted, ' : ''}${said}`,
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

function changeBodies(
  goal: Goal,
  { name, add, remove, retries }: Decision,
  later: readonly Tuple[],
): string[] {
  const changes = [{ add, remove }, { add: later, remove: [] }, ...retries];
  return [
    ...(name === undefined ? [] : [nameBody(name)]),
    ...changes
      .filter((change) => change.add.length + change.remove.length > 0)
      .map((change) => changeBody(change, goal)),
  ];
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

/** Also what was refused before, and goes by itself. */
function allOf({ add, remove, retries }: Decision): Change {
  return {
    add: [...add, ...retries.flatMap((change) => change.add)],
    remove: [...remove, ...retries.flatMap((change) => change.remove)],
  };
}

function left(conflicts: readonly Tuple[]): string {
  if (conflicts.length === 0) return '';
  return `; not touched: ${names(conflicts)}, because the API has the id with another cloudProvider or region`;
}

/** The list of the last reply, where all of it is kept. */
function lastList(status: OrganizationStatus | undefined): Listing | undefined {
  const { privateEndpoints, privateEndpointsTotal = 0 } = status?.organization ?? {};
  if (!privateEndpoints || privateEndpointsTotal > privateEndpoints.length) return undefined;
  return new Listing(storedEntries(status));
}

/** What the ledger has seen there, where the list of the last reply is not known, or not whole. */
function recorded(status: OrganizationStatus | undefined): Listing {
  return new Listing(
    (status?.privateEndpoints ?? []).filter(({ state }) => state === 'Present').map(tupleOf),
  );
}

function decided(
  status: OrganizationStatus | undefined,
  { goal, list, now }: { readonly goal: Goal; readonly list: Listing; readonly now: number },
) {
  const { ledger } = settle({
    ledger: status?.privateEndpoints ?? [],
    list,
    goal,
    now,
    // Nothing that is open is given up because of a preview.
    settlesAt: now + 1,
    entrySettlesAt: () => now + 1,
    missedAt: () => undefined,
    atWorkMs: 0,
  });
  const decision = decide({
    goal,
    ledger,
    list,
    name: status?.organization?.name,
    differences: status?.differences,
    unconfirmedChanges: new Map(),
    now,
  });
  return { ledger, decision };
}

/**
 * Endpoints whose id is there under another tuple of ours: they are added once that one is gone.
 */
function afterRemoval(
  goal: Goal,
  ledger: readonly LedgerEntry[],
  remove: readonly LedgerEntry[],
): readonly DeclaredEndpoint[] {
  if (goal.isCleanup) return [];
  const going = new Set(remove.map(({ id }) => plain(id)));
  const staying = new Set(
    ledger.filter((entry) => isOurs(entry) && !remove.includes(entry)).map(({ id }) => plain(id)),
  );
  return (goal.endpoints ?? []).filter(({ id }) => going.has(plain(id)) && !staying.has(plain(id)));
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
