import type { KubeObject } from '../../kube/resource.ts';
import type { FieldChange, Preview } from '../shared/preview.ts';
import { type Decision, decide } from './decide.ts';
import { Listing, tupleOf } from './endpoints/endpoints.ts';
import { storedEntries } from './endpoints/reply.ts';
import { counted, names } from './endpoints/wording.ts';
import { type Goal, goalOf, managesEndpoints } from './goal.ts';
import { endpointChanges } from './observation.ts';
import { addressOf, changeBody, nameBody, OBSERVE_BODY } from './remote.ts';
import { type Organization, type OrganizationStatus, parseSpec } from './resource.ts';
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
  const list = new Listing((isUnknown ? present : known) ?? []);
  const evidence = { inventory: before, goal, list, askedAt: now, now, settleMs: 0, uid };
  const { inventory } = settle(evidence);
  const { name } = status.organization ?? {};
  const decision = decide({ goal, inventory, list, name, now });
  const { add, remove, blocked } = decision;
  const renamed: FieldChange[] =
    decision.name === undefined ? [] : [{ field: 'name', from: name, to: decision.name }];
  const changes = [...renamed, ...endpointChanges(add, remove)];
  const isEmptyChange = add.length + remove.length === 0;
  const rest = [
    ...(decision.name === undefined ? [] : [nameBody(decision.name)]),
    ...(isEmptyChange ? [] : [changeBody({ add, remove }, goal)]),
  ];
  const bodies = [OBSERVE_BODY, ...(isUnknown || blocked ? [] : rest)];
  const { path } = addressOf('', organizationId, goal);
  const isSettled = inventory.every(({ state }) => state === 'Present');
  const basis = isUnknown || !status.organization ? 'Unknown' : 'LastResponse';
  return {
    does: blocked ? 'blocked' : 'send',
    says: isUnknown ? `${READS}; what follows depends on that list` : said(decision, goal, bodies),
    requests: bodies.map((body) => ({ method: 'PATCH', path, body })),
    changes,
    basis,
    isEmpty: basis === 'LastResponse' && changes.length === 0 && isSettled,
  };
}

const READS = 'One PATCH that reads the list of private endpoints';

function said(decision: Decision, goal: Goal, bodies: readonly string[]): string {
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
  const adopts = '; listed private endpoints that are already there will be owned by this object';
  return what + (conflicts.length > 0 ? others : '') + (goal.adopt ? adopts : '');
}

/** The list of the last reply, where all of it is kept. */
function lastList(status: OrganizationStatus) {
  const { privateEndpoints, privateEndpointsTotal = 0 } = status.organization ?? {};
  const isWhole = privateEndpoints && privateEndpointsTotal <= privateEndpoints.length;
  return isWhole ? storedEntries(status) : undefined;
}
