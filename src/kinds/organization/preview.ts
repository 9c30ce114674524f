import { isAltered, wantingAltered } from './attempt/differences.ts';
import { type FieldChange, intendedChanges } from './attempt/history.ts';
import { type Change, type Decision, decide } from './attempt/next-step.ts';
import { Listing, plain, sameKey, type Tuple, tupleOf } from './endpoints/endpoints.ts';
import { storedEntries } from './endpoints/reply.ts';
import { counted, names } from './endpoints/wording.ts';
import { type Goal, isOurs, managesEndpoints } from './goal.ts';
import { settle } from './ledger/ledger.ts';
import { changeBody, LOOK_BODY, nameBody } from './remote.ts';
import type {
  DeclaredEndpoint,
  LedgerEntry,
  Organization,
  OrganizationStatus,
} from './resource.ts';

/** What Apply would send, and by what it is known. */
export interface Preview {
  readonly basis: 'LastResponse' | 'Unknown';
  readonly hash: string;
  readonly requests: readonly {
    readonly method: 'PATCH';
    readonly path: string;
    readonly body: string;
  }[];
  readonly changes: readonly FieldChange[];
  /** The API is known to hold the declared state. */
  readonly isEmpty: boolean;
  /** What is not sent, for the condition. */
  readonly says: string;
}

export function previewOf(
  { status }: Organization,
  {
    goal,
    path,
    hash,
    isLast,
    now,
  }: {
    readonly goal: Goal;
    readonly path: string;
    readonly hash: string;
    /** Nobody is known to have changed the organization since the last reply. */
    readonly isLast: boolean;
    readonly now: number;
  },
): Preview {
  const request = (body: string) => ({ method: 'PATCH', path, body }) as const;
  const look = request(LOOK_BODY);
  const list = lastList(status);
  // What may be on its way is asked for before anything else.
  if (managesEndpoints(goal) && (!list || status?.pendingChange)) {
    const { add, remove } = allOf(decided(status, { goal, list: recorded(status), now }).decision);
    return {
      basis: 'Unknown',
      hash,
      requests: [look],
      changes: intendedChanges(status, goal, { add, remove }),
      isEmpty: false,
      says: `${occasion(goal)}one PATCH that reads the list of private endpoints; what follows depends on that list`,
    };
  }
  const basis = status?.organization === undefined ? 'Unknown' : 'LastResponse';
  const { ledger, decision } = decided(status, { goal, list: list ?? new Listing([]), now });
  const { add, remove, retries, blocked, name } = decision;
  const later = afterRemoval(goal, ledger, remove);
  const all = allOf(decision);
  const intent = { add: [...all.add, ...later], remove: all.remove };
  const changes = intendedChanges(status, goal, intent);
  if (blocked) {
    const says = `one PATCH that reads the list of private endpoints, and nothing else: ${counted(blocked.length)} would be removed (${names(blocked)}), but spec.maxPrivateEndpointRemovals allows ${goal.mostRemovals}`;
    return { basis, hash, requests: [look], changes, isEmpty: false, says };
  }
  const requests = [
    look,
    ...(name === undefined ? [] : [request(nameBody(name))]),
    ...(add.length + remove.length > 0 ? [request(changeBody({ add, remove }, goal))] : []),
    ...(later.length > 0 ? [request(changeBody({ add: later, remove: [] }, goal))] : []),
    ...retries.map((change) => request(changeBody(change, goal))),
  ];
  const said = describe(requests.length, name, intent);
  return {
    basis,
    hash,
    requests,
    changes,
    isEmpty:
      basis === 'LastResponse' &&
      isLast &&
      status?.lastRequest?.outcome !== 'Unknown' &&
      changes.length === 0 &&
      isReached(goal, ledger, status),
    says: `${occasion(goal)}${said}${left(decision.conflicts)}`,
  };
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

function occasion({ isCleanup }: Goal): string {
  return isCleanup ? 'before this object is deleted, ' : '';
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
