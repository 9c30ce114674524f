import type { KubeObject } from '../../kube/resource.ts';
import type { FieldChange, Preview } from '../shared/preview.ts';
import { type Change, type Decision, decide, nextChange } from './decide.ts';
import { Listing, plain, sameKey, type Tuple, tupleOf } from './endpoints/endpoints.ts';
import { storedEntries } from './endpoints/reply.ts';
import { counted, names } from './endpoints/wording.ts';
import { type Goal, goalOf, isOurs, managesEndpoints } from './goal.ts';
import { endpointChanges } from './observation.ts';
import { addressOf, changeBody, nameBody, OBSERVE_BODY } from './remote.ts';
import { type Organization, parseSpec } from './resource.ts';
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
  const { privateEndpoints: before = [], pendingChange } = status;
  const { name, privateEndpoints: shown, privateEndpointsTotal = 0 } = status.organization ?? {};
  const isWhole = shown !== undefined && privateEndpointsTotal <= shown.length;
  // What may be on its way is asked for before anything else.
  const isUnknown = pendingChange !== undefined || (managesEndpoints(goal) && !isWhole);
  const present = before.filter(({ state }) => state === 'Present').map(tupleOf);
  const list = new Listing(isUnknown ? present : storedEntries(status));
  const evidence = { inventory: before, goal, list, askedAt: now, now, settleMs: 0, uid };
  const { inventory } = settle(evidence);
  const decision = decide({ goal, inventory, list, name, now });
  const sent = changesOf(decision, goal, inventory.some(({ lastError }) => lastError) ?? false);
  const [add, remove] = [sent.flatMap((one) => one.add), sent.flatMap((one) => one.remove)];
  const isRenamed = decision.name !== undefined;
  const renamed: FieldChange[] = isRenamed
    ? [{ field: 'name', from: name, to: decision.name }]
    : [];
  const changes = [...renamed, ...endpointChanges(add, remove)];
  const named = isRenamed ? [nameBody(decision.name)] : [];
  const rest = [...named, ...sent.map((change) => changeBody(change, goal))];
  const bodies = [OBSERVE_BODY, ...(isUnknown || decision.blocked ? [] : rest)];
  const { path } = addressOf('', organizationId, goal);
  const owned = new Set(before.filter(isOurs).map(sameKey));
  const adopted = inventory.filter((one) => one.origin === 'Adopted' && !owned.has(sameKey(one)));
  const isThere = inventory.every(({ state }) => state === 'Present') && changes.length === 0;
  const basis = isUnknown || !status.organization ? 'Unknown' : 'LastResponse';
  return {
    does: decision.blocked ? 'blocked' : 'send',
    says: isUnknown
      ? `${READS}; what follows depends on that list`
      : said(decision, goal, { add, remove }, bodies.length) + adopting(adopted),
    requests: bodies.map((body) => ({ method: 'PATCH', path, body })),
    changes,
    basis,
    isEmpty: basis === 'LastResponse' && isThere,
  };
}

/** One after another, as if each took effect: what has the id of ours follows its removal. */
function changesOf(decision: Decision, goal: Goal, oneByOne: boolean): readonly Change[] {
  const ids = new Set(decision.remove.map(({ id }) => plain(id)));
  const declared = goal.isCleanup ? [] : (goal.endpoints ?? []);
  const later = declared.filter(({ id }) => ids.has(plain(id)));
  const add = [...decision.add, ...later];
  const whole = nextChange(decision, false);
  if (!oneByOne || !whole)
    return [whole, nextChange({ ...decision, remove: [], add: later }, false)].filter(
      (one) => one !== undefined,
    );
  const removals = decision.remove.map((one) => ({ add: [], remove: [one] }));
  return [...removals, ...add.map((one) => ({ add: [one], remove: [] }))];
}

const READS = 'One PATCH that reads the list of private endpoints';

function said(
  { name, blocked, conflicts }: Decision,
  goal: Goal,
  { add, remove }: Change,
  requests: number,
): string {
  if (blocked)
    return `${READS}, and nothing else: ${counted(blocked.length)} would be removed (${names(blocked)}), but spec.maxPrivateEndpointRemovals allows ${goal.mostRemovals}`;
  const parts = [
    ...(name === undefined ? [] : ['set the name']),
    ...(add.length > 0 ? [`add ${counted(add.length)}`] : []),
    ...(remove.length > 0 ? [`remove ${counted(remove.length)}`] : []),
  ];
  const many = `${requests} PATCH requests, one after another: read the list, then ${parts.join(', ')}`;
  const others = `; not touched: ${names(conflicts)}, because the API has the id elsewhere`;
  const what = parts.length === 0 ? `${READS} and changes nothing` : many;
  return conflicts.length > 0 ? what + others : what;
}

function adopting(adopted: readonly Tuple[]): string {
  if (adopted.length === 0) return '';
  return `; this object becomes the owner of ${names(adopted)}: it removes them when they are no longer listed`;
}
