import { changeFor, isBlocked } from './change.ts';
import { type FieldChange, intendedChanges } from './changes.ts';
import { knownList, type Tuple, tupleKey } from './endpoints.ts';
import { type Goal, isOurs } from './goal.ts';
import { withoutRefusals } from './ledger.ts';
import { changeBody, NEUTRAL_BODY, nameBody } from './remote.ts';
import type { DeclaredEndpoint, LedgerEntry, Organization } from './resource.ts';
import { counted, names } from './wording.ts';

/** What Apply would send, and by what it is known. */
export interface Preview {
  readonly basis: 'LastResponse' | 'Unknown';
  readonly hash: string;
  readonly requests: readonly { readonly method: 'PATCH'; readonly path: string; readonly body: string }[];
  readonly changes: readonly FieldChange[];
  /** What is not sent, for the condition. */
  readonly says: string;
}

export function previewOf(
  object: Organization,
  {
    goal,
    path,
    hash,
    now,
  }: { readonly goal: Goal; readonly path: string; readonly hash: string; readonly now: number },
): Preview {
  const { status } = object;
  const known = knownList(status);
  const ledger = withoutRefusals(status?.privateEndpoints ?? [], { now, all: true });
  const request = (body: string) => ({ method: 'PATCH', path, body }) as const;
  const read = request(goal.name === undefined ? NEUTRAL_BODY : nameBody(goal.name));
  const change = known && changeFor(goal, ledger, known);
  // What may be on its way is asked for before anything else.
  if (goal.endpoints && (!change || change.undecided || status?.pendingChange)) {
    return {
      basis: 'Unknown',
      hash,
      requests: [read],
      changes: intendedChanges(status, goal, { add: goal.endpoints, remove: [] }),
      says: 'one PATCH that asks for the list of private endpoints; what is there is not known, and what follows depends on it',
    };
  }
  const basis = status?.organization === undefined ? 'Unknown' : 'LastResponse';
  const { add = [], remove = [] } = change ?? {};
  const later = change ? afterRemoval(goal, ledger, remove) : [];
  const changes = intendedChanges(status, goal, { add: [...add, ...later], remove });
  if (change && isBlocked(goal, change)) {
    const says = `${counted(remove.length)} would be removed (${names(remove)}), and spec.maxPrivateEndpointRemovals allows ${goal.mostRemovals}: Apply would send nothing either`;
    return { basis, hash, requests: [], changes, says };
  }
  const first = add.length + remove.length > 0 ? request(changeBody({ name: goal.name, add, remove }, goal)) : read;
  const requests =
    later.length > 0 ? [first, request(changeBody({ name: goal.name, add: later, remove: [] }, goal))] : [first];
  return { basis, hash, requests, changes, says: describe(goal, requests.length, { add: [...add, ...later], remove }) };
}

/** Endpoints whose id is there under another tuple of ours: they are added once that one is gone. */
function afterRemoval(goal: Goal, ledger: readonly LedgerEntry[], remove: readonly Tuple[]): DeclaredEndpoint[] {
  const going = new Set(remove.map(({ id }) => id));
  const there = new Set(ledger.filter((entry) => isOurs(entry, goal)).map(tupleKey));
  return (goal.endpoints ?? []).filter((endpoint) => going.has(endpoint.id) && !there.has(tupleKey(endpoint)));
}

function describe(
  goal: Goal,
  requests: number,
  { add, remove }: { readonly add: readonly Tuple[]; readonly remove: readonly Tuple[] },
): string {
  const parts = [
    ...(goal.name === undefined ? [] : ['sends the name']),
    ...(add.length > 0 ? [`adds ${counted(add.length)}`] : []),
    ...(remove.length > 0 ? [`removes ${counted(remove.length)}`] : []),
  ];
  const what = requests === 1 ? 'one PATCH that' : `${requests} PATCH requests, one after another, of which the first`;
  return `${what} ${parts.length === 0 ? 'changes nothing and asks for the list' : parts.join(', ')}`;
}
