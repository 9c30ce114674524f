import type { KubeObject } from '../../kube/resource.ts';
import { specOf } from '../schema/parser.ts';
import type { EmptyOrNot, Preview } from '../shared/preview.ts';
import { type Decision, decide, type Goal, goalOf, managesEndpoints } from './decide.ts';
import * as endpoint from './endpoints.ts';
import { endpointChanges, storedEntries } from './observation.ts';
import { addressOf, bodyOf } from './remote.ts';
import { type Organization, parseSpec } from './resource.ts';
import { settle } from './settle.ts';

const { names, counted } = endpoint;

/** For the plugin: as if the object were alone. */
export function preview(object: KubeObject, now: number): Preview {
  return previewOf(object as Organization, goalOf(specOf(parseSpec(object))), now);
}

/** What an attempt would send while the API still holds what its last reply showed. */
export function previewOf(
  object: Organization,
  goal: Goal,
  now: number,
  apiHash?: string,
): EmptyOrNot {
  const { status: stored = {} } = object;
  // What another API showed says nothing of this one.
  const isElsewhere = apiHash !== undefined && stored.verified?.apiHash !== apiHash;
  const status = isElsewhere ? {} : stored;
  const { privateEndpoints: before = [], pendingChange } = status;
  const { name, privateEndpoints: shown, privateEndpointsTotal = 0 } = status.organization ?? {};
  const isWhole = shown !== undefined && privateEndpointsTotal <= shown.length;
  // What may be on its way is asked for before anything else.
  const isUnknown = pendingChange !== undefined || (managesEndpoints(goal) && !isWhole);
  const present = before.filter(({ state }) => state === 'Present').map(endpoint.tupleOf);
  const list = new endpoint.Listing(isUnknown ? present : storedEntries(status));
  const seen = { goal, list, now, uid: object.metadata.uid };
  const { inventory } = settle({ ...seen, inventory: before, askedAt: now, settleMs: 0 });
  const decision = decide({ ...seen, inventory, name });
  const hasRefused = inventory.some(({ lastError }) => lastError);
  const sent = changesOf(decision, goal, hasRefused);
  const [add, remove] = [sent.flatMap((one) => one.add), sent.flatMap((one) => one.remove)];
  const { name: to, blocked } = decision;
  const renamed = to === undefined ? [] : [{ field: 'name', from: name, to }];
  const changes = [...renamed, ...endpointChanges(add, remove)];
  const named = to === undefined ? [] : [{ name: to }];
  const wanted = [...named, ...sent.map((change) => ({ change }))];
  const bodies = [{}, ...(isUnknown || blocked ? [] : wanted)].map((one) => bodyOf(one, goal));
  const { path } = addressOf('', goal);
  const isThere = inventory.every(({ state }) => state === 'Present') && changes.length === 0;
  const basis = isUnknown || !status.organization ? 'Unknown' : 'LastResponse';
  return {
    does: blocked ? 'blocked' : 'send',
    says: isUnknown ? UNKNOWN : said(decision, { add, remove }, bodies.length),
    requests: bodies.map((body) => ({ method: 'PATCH', path, body })),
    changes,
    basis,
    isEmpty: basis === 'LastResponse' && isThere,
  };
}

/** One after another, as if each took effect: what has the id of ours follows its removal. */
function changesOf(decision: Decision, goal: Goal, oneByOne: boolean): readonly endpoint.Change[] {
  const ids = new Set(decision.remove.map(({ id }) => endpoint.plain(id)));
  const later = goal.declared.filter(({ id }) => ids.has(endpoint.plain(id)));
  const single = [
    ...decision.remove.map((one) => ({ add: [], remove: [one] })),
    ...[...decision.add, ...later].map((one) => ({ add: [one], remove: [] })),
  ];
  const changes = oneByOne ? single : [decision, { add: later, remove: [] }];
  return changes.filter(({ add, remove }) => add.length + remove.length > 0);
}

const READS = 'One PATCH that reads the list of private endpoints';
const UNKNOWN = `${READS}; what follows depends on that list`;

function said(decision: Decision, { add, remove }: endpoint.Change, requests: number): string {
  const { name, blocked, conflicts } = decision;
  if (blocked)
    return `${READS}, and nothing else: ${counted(blocked.length)} would be removed (${names(blocked)}), more than spec.maxPrivateEndpointRemovals allows`;
  const parts = [
    ...(name === undefined ? [] : ['set the name']),
    ...(add.length > 0 ? [`add ${counted(add.length)}`] : []),
    ...(remove.length > 0 ? [`remove ${counted(remove.length)}`] : []),
  ];
  const many = `${requests} PATCH requests, one after another: read the list, then ${parts.join(', ')}`;
  const others = `; not touched: ${names(conflicts)}, because the API has the id with another cloud provider or region`;
  const what = parts.length === 0 ? `${READS} and changes nothing` : many;
  return conflicts.length > 0 ? what + others : what;
}
