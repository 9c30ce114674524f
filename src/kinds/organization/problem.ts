import * as waits from '../../waits.ts';
import { quoting, withoutStop } from '../shared/common-status.ts';
import { BY_ITSELF } from '../shared/failure-report.ts';
import type { FailureReason } from '../shared/failures.ts';
import { managesEndpoints, nextChange } from './decide.ts';
import { counted, names } from './endpoints.ts';
import { isBusy } from './remote.ts';
import type { InventoryEntry } from './resource.ts';
import type { Ended, Known } from './work.ts';

export interface Problem {
  readonly reason: FailureReason;
  readonly message: string;
  /** Epoch ms: the next attempt is then, or before where the class, but `Rejected`, says so. */
  readonly at?: number | undefined;
}

/** The foremost thing that is not as it should be, of an attempt whose every call worked. */
export function problemOf(known: Known, work: Ended): Problem | undefined {
  const { draft, list, name } = known;
  const { goal, settleMs, now } = work;
  const { blocked, conflicts } = known.decide(goal, now);
  const { pendingChange, privateEndpoints: inventory = [] } = draft;
  const request = quoting(known.requestId);
  // Make sure no change is on its way of which nobody knows what it did
  if (pendingChange) {
    const what = inState(inventory, { Unconfirmed: 'adding', Removing: 'removing' });
    const message = `It is not known whether ${what.join(' and ') || 'the last change'} took effect, and the API may still carry it out. Nothing else is sent until the list shows it or it can no longer take effect; meanwhile the list is read again`;
    return { reason: 'OutcomeUnknown', message, at: Date.parse(pendingChange.time) + settleMs };
  }
  // Make sure no more is removed than spec allows
  if (blocked) {
    const message = `Nothing is sent: ${counted(blocked.length)} would be removed (${names(blocked, 9)}), but spec.maxPrivateEndpointRemovals allows ${goal.mostRemovals}. To keep them, put them back into spec.privateEndpoints; to remove them, set spec.maxPrivateEndpointRemovals to ${blocked.length}`;
    return { reason: 'RemovalBlocked', message };
  }
  const isManaged = managesEndpoints(goal);
  // Make sure the list is known
  if (isManaged && !list) {
    const since = Date.parse(draft.listLeftOutSince ?? '');
    const ends = [waits.LEFT_OUT_IS_EMPTY_MS, waits.LEFT_OUT_ALL_GONE_MS].map((ms) => since + ms);
    const message = `The response has no readable list of private endpoints${request}, so none is added or removed. The list is asked for again; if this does not change, contact the support of the API`;
    return { reason: 'NotConfirmed', message, at: ends.find((at) => at > now) };
  }
  const managed = isManaged ? inventory : [];
  const problem = notSeen(managed, request, now) ?? refused(known, managed, work);
  if (problem) return problem;
  // Make sure the API keeps the declared name
  if (goal.name !== undefined && !goal.isCleanup && name !== undefined && name !== goal.name) {
    const [has, not] = [name, goal.name].map((text) => JSON.stringify(text.slice(0, 64)));
    const message = `The API reports the name ${has}, not ${not}${request}. The declared name is sent again a few times, then every 6 hours; to end this, declare the name that the API reports`;
    return { reason: 'NotConfirmed', message };
  }
  // Make sure no id belongs to somebody else
  if (conflicts.length === 0) return undefined;
  const message = `The API already has the id of ${names(conflicts)} with another cloud provider or region, and this object does not own what the API has. Nothing with the same id is added or removed. Declare it as status.organization.privateEndpoints shows it, or have it removed at the API`;
  return { reason: 'EndpointConflict', message };
}

type Inventory = readonly InventoryEntry[];
type State = InventoryEntry['state'];

/** Make sure each endpoint is seen to be there, or gone */
function notSeen(inventory: Inventory, request: string, now: number): Problem | undefined {
  const open = inventory.filter(({ state }) => state !== 'Present' && state !== 'Refused');
  if (open.length === 0) return undefined;
  const what = inState(open, {
    Unconfirmed: 'added but not in the list yet:',
    Removing: 'removed but still in the list:',
    Missing: 'no longer in the list:',
  });
  const message = `Private endpoints ${what.join('; ')}${request}. The list is read again at status.nextAttemptTime before anything else is sent for them; if this does not change, contact the support of the API`;
  return { reason: 'NotConfirmed', message, at: earliest(inventory, now) };
}

/** `adding psc-1, psc-2`, for each of these states that has any. */
function inState(entries: Inventory, words: Partial<Record<State, string>>): string[] {
  return Object.entries(words).flatMap(([wanted, says]) => {
    const found = entries.filter(({ state }) => state === wanted);
    return found.length > 0 ? `${says} ${names(found)}` : [];
  });
}

/** Make sure the API took what was sent; said is the last reason, the status has all */
function refused(known: Known, inventory: Inventory, { goal, now }: Ended): Problem | undefined {
  const entries = inventory.filter(({ lastError }) => lastError);
  const error = known.nameRefusal ?? entries.at(-1)?.lastError;
  if (!error) return undefined;
  const adds = entries.filter(({ state }) => state === 'Refused');
  const removals = entries.filter(({ state }) => state !== 'Refused');
  const added = `${adds.length} of ${counted(goal.listed.size)} (${names(adds)})`;
  const what = [
    ...(known.nameRefusal ? ['the name'] : []),
    ...(adds.length > 0 ? [added] : []),
    ...(removals.length > 0 ? [`the removal of ${names(removals)}`] : []),
  ].join(' and ');
  const said = `${withoutStop(error.message ?? '')}${quoting(error.requestId)}`;
  const isTired = known.refusalsInRow >= waits.MOST_REFUSALS;
  const isCutShort = isTired && nextChange(known.decide(goal, now), true) !== undefined;
  const rest = isCutShort ? '. Those not tried yet follow in a minute' : '';
  const isOfSpec =
    known.nameRefusal || adds.some(({ lastError }) => !isBusy(lastError?.httpStatus));
  const wish = isOfSpec ? 'Change the spec to what the API accepts' : BY_ITSELF;
  const keep = removals.length > 0 ? '; to keep what cannot be removed, list it again' : '';
  const todo = goal.isCleanup ? BY_ITSELF : wish + keep;
  const message = `The API refused ${what}: ${said}${rest}. ${todo}`;
  const at = isCutShort ? now + waits.UNTRIED_MS : earliest(entries, now);
  return { reason: 'Rejected', message, at };
}

/** Epoch ms: the first that is ahead. */
function earliest(entries: Inventory, now: number): number | undefined {
  const times = entries.map(({ nextAttemptTime }) => Date.parse(nextAttemptTime ?? ''));
  return times.filter((time) => time > now).sort((a, b) => a - b)[0];
}
