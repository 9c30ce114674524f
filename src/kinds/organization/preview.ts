import type { KubeObject } from '../../kube/resource.ts';
import { timestamp } from '../shared/canonical.ts';
import type { FieldChange, Preview } from '../shared/preview.ts';
import { type Change, type Decision, decide, nextChange, type Question } from './decide.ts';
import {
  asReported,
  Listing,
  type Reported,
  sameKey,
  type Tuple,
  tupleOf,
} from './endpoints/endpoints.ts';
import { storedEntries } from './endpoints/reply.ts';
import { counted, names } from './endpoints/wording.ts';
import { type Goal, goalOf, isOurs, managesEndpoints } from './goal.ts';
import { endpointChanges } from './observation.ts';
import { addressOf, changeBody, nameBody, OBSERVE_BODY } from './remote.ts';
import {
  type InventoryEntry,
  type Organization,
  type OrganizationStatus,
  parseSpec,
} from './resource.ts';
import { settle } from './settle.ts';

/** For the plugin: as if the object were alone. */
export function preview(object: KubeObject, now: number): Preview {
  const parsed = parseSpec(object);
  if (!parsed.ok) throw new Error(`a spec that is not valid was planned: ${parsed.message}`);
  const { organizationId } = parsed.spec;
  return previewOf(object as Organization, organizationId, goalOf(parsed.spec), now);
}

/** What an attempt would send while the API still holds what its last reply showed. */
export function previewOf(
  { status = {}, metadata: { uid } }: Organization,
  organizationId: string,
  goal: Goal,
  now: number,
): Preview & { readonly isEmpty: boolean } {
  const known = lastList(status);
  // What may be on its way is asked for before anything else.
  const isUnknown = status.pendingChange !== undefined || (managesEndpoints(goal) && !known);
  const { privateEndpoints: before = [] } = status;
  const present = before.filter(({ state }) => state === 'Present').map(tupleOf);
  const list = (isUnknown ? present : known) ?? [];
  const { name } = status.organization ?? {};
  const start = { goal, inventory: before, list, name, now, uid };
  const { first, sent, inventory } = attemptOn(start);
  const [add, remove] = [sent.flatMap((one) => one.add), sent.flatMap((one) => one.remove)];
  const renamed: FieldChange[] =
    first.name === undefined ? [] : [{ field: 'name', from: name, to: first.name }];
  const changes = [...renamed, ...endpointChanges(add, remove)];
  const rest = [
    ...(first.name === undefined ? [] : [nameBody(first.name)]),
    ...sent.map((change) => changeBody(change, goal)),
  ];
  const bodies = [OBSERVE_BODY, ...(isUnknown || first.blocked ? [] : rest)];
  const { path } = addressOf('', organizationId, goal);
  const owned = new Set(before.filter(isOurs).map(sameKey));
  const adopted = inventory.filter((one) => one.origin === 'Adopted' && !owned.has(sameKey(one)));
  const isSettled = inventory.every(({ state }) => state === 'Present');
  const basis = isUnknown || !status.organization ? 'Unknown' : 'LastResponse';
  return {
    does: first.blocked ? 'blocked' : 'send',
    says: isUnknown
      ? `${READS}; what follows depends on that list`
      : said({ ...first, add, remove }, goal, bodies, adopted),
    requests: bodies.map((body) => ({ method: 'PATCH', path, body })),
    changes,
    basis,
    isEmpty: basis === 'LastResponse' && changes.length === 0 && isSettled,
  };
}

interface Start extends Omit<Question, 'list'> {
  readonly list: readonly Reported[];
  readonly uid: string;
}

/** What an attempt would send, one change after another, as if each took effect. */
function attemptOn({ uid, ...start }: Start): {
  readonly first: Decision;
  readonly sent: readonly Change[];
  readonly inventory: readonly InventoryEntry[];
} {
  const { goal, now } = start;
  const oneByOne = start.inventory.some(({ lastError }) => lastError);
  const evidence = { goal, askedAt: now, now, settleMs: 0, uid };
  const sent: Change[] = [];
  let [reported, first]: [readonly Reported[], Decision | undefined] = [start.list, undefined];
  let { inventory } = settle({ ...evidence, ...start, list: new Listing(reported) });
  for (;;) {
    const decision = decide({ ...start, inventory, list: new Listing(reported) });
    first ??= decision;
    const change = nextChange(decision, oneByOne && !decision.blocked);
    if (change) sent.push(change);
    if (!change || decision.blocked) return { first, sent, inventory };
    const { add, remove } = change;
    const isGone = (one: Reported) =>
      remove.some((tuple) => sameKey(asReported(one, tuple)) === sameKey(tuple));
    reported = [...reported.filter((one) => !isGone(one)), ...add];
    const asSent = { time: timestamp(now), add: [...add], remove: [...remove] };
    const answer = { change: asSent, answered: true };
    ({ inventory } = settle({ ...evidence, inventory, list: new Listing(reported), sent: answer }));
  }
}

const READS = 'One PATCH that reads the list of private endpoints';

type Said = Omit<Decision, 'add' | 'remove'> & Change;

function said(
  decision: Said,
  goal: Goal,
  bodies: readonly string[],
  adopted: readonly Tuple[],
): string {
  const { name, add, remove, blocked, conflicts } = decision;
  if (blocked)
    return `${READS}, and nothing else: ${counted(blocked.length)} would be removed (${names(blocked)}), but spec.maxPrivateEndpointRemovals allows ${goal.mostRemovals}`;
  const parts = [
    ...(name === undefined ? [] : ['set the name']),
    ...(add.length > 0 ? [`add ${counted(add.length)}`] : []),
    ...(remove.length > 0 ? [`remove ${counted(remove.length)}`] : []),
  ];
  const what =
    parts.length === 0
      ? `${READS} and changes nothing`
      : `${bodies.length} PATCH requests, one after another: read the list, then ${parts.join(', ')}`;
  const others = `; not touched: ${names(conflicts)}, because the API has the id elsewhere`;
  const adopts = `; this object becomes the owner of ${names(adopted)}: it removes them when they are no longer listed`;
  return what + (conflicts.length > 0 ? others : '') + (adopted.length > 0 ? adopts : '');
}

/** The list of the last reply, where all of it is kept. */
function lastList(status: OrganizationStatus) {
  const { privateEndpoints, privateEndpointsTotal = 0 } = status.organization ?? {};
  const isWhole = privateEndpoints && privateEndpointsTotal <= privateEndpoints.length;
  return isWhole ? storedEntries(status) : undefined;
}
