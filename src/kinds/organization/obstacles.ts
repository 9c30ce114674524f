import { LEFT_OUT_ALL_GONE_MS, LEFT_OUT_IS_EMPTY_MS, UNTRIED_MS } from '../../waits.ts';
import { quoting, withoutStop } from '../shared/common-status.ts';
import type { FailureReason } from '../shared/failures.ts';
import { counted, names, shownName } from './endpoints/wording.ts';
import { type Goal, managesEndpoints } from './goal.ts';
import type { Attempted } from './known.ts';
import type { InventoryEntry } from './resource.ts';

/** One thing that keeps the goal from being reached. */
export interface Obstacle {
  readonly reason: FailureReason;
  readonly message: string;
  /** Epoch ms: the next attempt is at this time at the latest, whatever the class says. */
  readonly atLatest?: number | undefined;
  /** Epoch ms: and not before this. */
  readonly atEarliest?: number | undefined;
}

export interface Ending extends Attempted {
  readonly goal: Goal;
  readonly settleMs: number;
  readonly now: number;
}

/** Everything that is not as it should be; the foremost is the reason of the condition. */
export function obstaclesOf(ending: Ending): readonly Obstacle[] {
  return CHECKS.flatMap((check) => check(ending) ?? []);
}

const CHECKS: readonly ((ending: Ending) => Obstacle | undefined)[] = [
  changeIsSettled, // Make sure no change is on its way of which nobody knows what it did
  removalsAreAllowed, // Make sure no more is removed than spec allows
  listIsReadable, // Make sure the list is known
  endpointsAreSettled, // Make sure each endpoint is seen to be there, or gone
  nameIsTaken, // Make sure the API keeps the declared name
  nothingIsRefused, // Make sure the API took what was sent
  idsAreFree, // Make sure no id belongs to somebody else
];

function changeIsSettled({ draft, settleMs }: Ending): Obstacle | undefined {
  const { pendingChange, privateEndpoints = [] } = draft;
  if (!pendingChange) return undefined;
  const open = privateEndpoints.filter(({ since }) => since === pendingChange.time);
  const what = named(open, { Unconfirmed: 'adding', Removing: 'removing' }).join(' and ');
  const message = `It is not known whether ${what || 'the last change'} took effect, and the API may still carry it out. Nothing else is sent until the list shows it or it can no longer take effect; meanwhile the list is read again`;
  const atLatest = Date.parse(pendingChange.time) + settleMs;
  return { reason: 'OutcomeUnknown', message, atLatest };
}

/** `adding psc-1, psc-2`, for each of these states that has any. */
function named(
  entries: readonly InventoryEntry[],
  words: Partial<Record<InventoryEntry['state'], string>>,
): string[] {
  return Object.entries(words).flatMap(([wanted, says]) => {
    const found = entries.filter(({ state }) => state === wanted);
    return found.length > 0 ? `${says} ${names(found)}` : [];
  });
}

function removalsAreAllowed({ decision: { blocked }, goal }: Ending): Obstacle | undefined {
  if (!blocked) return undefined;
  const count = blocked.length;
  const message = `Nothing is sent: ${counted(count)} would be removed (${names(blocked)}), but spec.maxPrivateEndpointRemovals allows ${goal.mostRemovals}. List them again, or set spec.maxPrivateEndpointRemovals to ${count} or more`;
  return { reason: 'RemovalBlocked', message };
}

function listIsReadable({ list, draft, goal, requestId, now }: Ending): Obstacle | undefined {
  if (list || !managesEndpoints(goal) || draft.pendingChange) return undefined;
  const since = Date.parse(draft.listLeftOutSince ?? '');
  const empty = [since + LEFT_OUT_IS_EMPTY_MS, since + LEFT_OUT_ALL_GONE_MS];
  const message = `The response has no readable list of private endpoints${quoting(requestId)}, so none is added or removed. The list is asked for again; if this does not change, contact the support of the API`;
  return { reason: 'NotConfirmed', message, atLatest: empty.find((at) => at > now) };
}

function endpointsAreSettled({ draft, list, goal, requestId }: Ending): Obstacle | undefined {
  if (draft.pendingChange || !managesEndpoints(goal) || !list) return undefined;
  const open = (draft.privateEndpoints ?? []).filter(
    ({ state }) => state !== 'Present' && state !== 'Refused',
  );
  if (open.length === 0) return undefined;
  const what = named(open, {
    Unconfirmed: 'added but not in the list yet:',
    Removing: 'removed but still in the list:',
    Missing: 'no longer in the list:',
  }).join('; ');
  const message = `Private endpoints ${what}${quoting(requestId)}. The list is read again at status.nextAttemptTime before anything else is sent for them`;
  return { reason: 'NotConfirmed', message, atLatest: earliest(open) };
}

function nameIsTaken({ name, nameRefusal, goal, requestId }: Ending): Obstacle | undefined {
  if (goal.isCleanup || goal.name === undefined || nameRefusal) return undefined;
  if (name === undefined || name === goal.name) return undefined;
  const message = `The API reports the name ${shownName(name)}, not ${shownName(goal.name)}${quoting(requestId)}. The declared name is sent again a few times, then every 6 hours; to end this, declare the name that the API reports`;
  return { reason: 'NotConfirmed', message };
}

/** What the API refused, with each reason that it gave once. */
function nothingIsRefused(ending: Ending): Obstacle | undefined {
  const { draft, nameRefusal, isCutShort, goal, now } = ending;
  const entries = (draft.privateEndpoints ?? []).filter(({ lastError }) => lastError);
  if ((entries.length === 0 || !managesEndpoints(goal)) && !nameRefusal) return undefined;
  const errors = [nameRefusal, ...entries.map(({ lastError }) => lastError)];
  const texts = new Map(
    errors.flatMap((error) =>
      error
        ? [[error.message, `${withoutStop(error.message ?? '')}${quoting(error.requestId)}`]]
        : [],
    ),
  );
  const total = goal.isCleanup ? entries.length : Math.max(goal.listed.size, entries.length);
  const count = `${entries.length} of ${counted(total)} (${names(entries)})`;
  const what = [...(nameRefusal ? ['the name'] : []), ...(entries.length > 0 ? [count] : [])];
  const rest = isCutShort ? '. Those not tried yet follow in a minute' : '';
  const todo = goal.isCleanup ? '' : '. Change the spec to what the API accepts';
  const said = [...texts.values()].slice(0, 2).join('; ');
  const message = `The API refused ${what.join(' and ')}: ${said}${rest}${todo}`;
  const at = isCutShort ? now + UNTRIED_MS : earliest(entries);
  return { reason: 'Rejected', message, atLatest: at, atEarliest: at };
}

function idsAreFree({ decision: { conflicts } }: Ending): Obstacle | undefined {
  if (conflicts.length === 0) return undefined;
  const message = `The API already has the id of ${names(conflicts)} with another cloud provider or region, and that private endpoint does not belong to this object. Neither is added or removed. List it as status.organization.privateEndpoints shows it, or have the other one removed`;
  return { reason: 'EndpointConflict', message };
}

function earliest(entries: readonly InventoryEntry[]): number | undefined {
  const times = entries.map(({ nextAttemptTime }) => Date.parse(nextAttemptTime ?? ''));
  const known = times.filter((time) => !Number.isNaN(time));
  return known.length > 0 ? Math.min(...known) : undefined;
}
