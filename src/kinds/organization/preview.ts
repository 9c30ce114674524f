import { cutText } from '../../controller/conditions.ts';
import type { Result } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { showPlan } from '../shared/checks.ts';
import { plannedSummary } from '../shared/planned.ts';
import type { Preview } from '../shared/preview.ts';
import { endpointChanges, type FieldChange, nameChange } from './changes.ts';
import { type Decision, decide } from './decide.ts';
import { Listing, tupleOf } from './endpoints/endpoints.ts';
import { storedEntries } from './endpoints/reply.ts';
import { counted, names } from './endpoints/wording.ts';
import { type Goal, goalOf, managesEndpoints } from './goal.ts';
import { LIMITS } from './limits.ts';
import type { Setup } from './perform.ts';
import { addressOf, changeBody, nameBody, OBSERVE_BODY } from './remote.ts';
import {
  type Organization,
  type OrganizationSpec,
  type OrganizationStatus,
  parseSpec,
} from './resource.ts';
import { settle } from './settle.ts';

/** What an attempt would send while the API still holds what its last reply showed. */
interface Outlook {
  readonly basis: 'LastResponse' | 'Unknown';
  /** The JSON texts that would be sent, one after another; the first only observes. */
  readonly bodies: readonly string[];
  readonly changes: readonly FieldChange[];
  readonly says: string;
  /** Known to be as declared. */
  readonly isEmpty: boolean;
  readonly isBlocked: boolean;
}

/** For the plugin: as if the object were alone. */
export function preview(object: KubeObject, now: number): Preview {
  const parsed = parseSpec(object);
  if (!parsed.ok) throw new Error(`a spec that is not valid was planned: ${parsed.message}`);
  const goal = goalOf(parsed.spec);
  const { basis, bodies, changes, says, isBlocked } = outlookOf(object as Organization, goal, now);
  const { path } = addressOf('', parsed.spec.organizationId, goal);
  return {
    does: isBlocked ? 'blocked' : 'send',
    says: says.charAt(0).toUpperCase() + says.slice(1),
    requests: bodies.map((body) => ({ method: 'PATCH', path, body })),
    changes,
    basis,
  };
}

/** Plan mode: the status shows to the letter what Apply would send. */
export function planOf(
  object: Organization,
  options: {
    readonly spec: OrganizationSpec;
    readonly goal: Goal;
    readonly setup: Setup;
    readonly now: number;
  },
): Result {
  const { spec, goal, setup, now } = options;
  const { basis, bodies, changes, says, isEmpty } = outlookOf(object, goal, now);
  const { path, hash } = addressOf(setup.context.api.baseUrl, spec.organizationId, goal);
  const isUnknown = basis === 'Unknown';
  const summary = plannedSummary({
    changes: changes.length,
    isEmpty,
    notSent: `${goal.isCleanup ? 'before this object is deleted, ' : ''}${says}`,
    basis: isUnknown ? 'the state at the API is not known yet' : 'compared with the last response',
    planOnly: goal.isCleanup || spec.mode !== 'Plan',
  });
  const message = goal.isCleanup
    ? `${summary.message}. It waits without deadline; set spec.deletionPolicy to Retain to delete it at once`
    : summary.message;
  const requests = bodies
    .slice(0, LIMITS.planRequests)
    .map((body) => ({ method: 'PATCH', path, body: cutText(body, LIMITS.body) }));
  const plan = { basis, hash, requests, changes: changes.slice(0, LIMITS.planChanges) };
  return showPlan(object, { summary: { ...summary, message }, plan, now });
}

function outlookOf({ status = {}, metadata }: Organization, goal: Goal, now: number): Outlook {
  const known = lastList(status);
  // What may be on its way is asked for before anything else.
  const isUnknown =
    status.pendingChange !== undefined || (managesEndpoints(goal) && known === undefined);
  const list = new Listing(isUnknown ? presentIn(status) : (known ?? []));
  const before = status.privateEndpoints ?? [];
  const { uid } = metadata;
  const evidence = { inventory: before, goal, list, askedAt: now, now, settleMs: 0, uid };
  const { inventory } = settle(evidence);
  const name = status.organization?.name;
  const decision = decide({ goal, inventory, list, name, now });
  const { add, remove, blocked } = decision;
  const changes = [
    ...(decision.name === undefined ? [] : [nameChange(name, decision.name)]),
    ...endpointChanges(add, remove),
  ];
  const change = { add: add.map(tupleOf), remove: remove.map(tupleOf) };
  const isOnlyRead = isUnknown || blocked !== undefined;
  const bodies = [
    OBSERVE_BODY,
    ...(decision.name === undefined || isOnlyRead ? [] : [nameBody(decision.name)]),
    ...(add.length + remove.length === 0 || isOnlyRead ? [] : [changeBody(change, goal)]),
  ];
  const basis = isUnknown || status.organization === undefined ? 'Unknown' : 'LastResponse';
  const isSettled = inventory.every(({ state }) => state === 'Present');
  return {
    basis,
    bodies,
    changes,
    says: isUnknown
      ? 'one PATCH that reads the list of private endpoints; what follows depends on that list'
      : said(decision, goal, bodies.length),
    isEmpty: basis === 'LastResponse' && changes.length === 0 && isSettled,
    isBlocked: blocked !== undefined,
  };
}

function said(
  { name, add, remove, blocked, conflicts }: Decision,
  goal: Goal,
  requests: number,
): string {
  if (blocked)
    return `one PATCH that reads the list of private endpoints, and nothing else: ${counted(blocked.length)} would be removed (${names(blocked)}), but spec.maxPrivateEndpointRemovals allows ${goal.mostRemovals}`;
  const parts = [
    ...(name === undefined ? [] : ['set the name']),
    ...(add.length > 0 ? [`add ${counted(add.length)}`] : []),
    ...(remove.length > 0 ? [`remove ${counted(remove.length)}`] : []),
  ];
  const others =
    conflicts.length === 0
      ? ''
      : `; not touched: ${names(conflicts)}, because the API has the id with another cloudProvider or region`;
  const adopts = goal.adopt
    ? '; adoptPrivateEndpoints makes this object the owner of listed private endpoints that are already there'
    : '';
  const what =
    parts.length === 0
      ? 'one PATCH that reads the list and changes nothing'
      : `${requests} PATCH requests, one after another: read the list, then ${parts.join(', ')}`;
  return what + others + adopts;
}

/** The list of the last reply, where all of it is kept. */
function lastList({ organization }: OrganizationStatus) {
  const { privateEndpoints, privateEndpointsTotal = 0 } = organization ?? {};
  if (!privateEndpoints || privateEndpointsTotal > privateEndpoints.length) return undefined;
  return storedEntries({ organization });
}

/** What the inventory has seen there. */
function presentIn({ privateEndpoints = [] }: OrganizationStatus) {
  return privateEndpoints.filter(({ state }) => state === 'Present').map(tupleOf);
}
