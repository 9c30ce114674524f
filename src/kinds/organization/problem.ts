import * as waits from '../../waits.ts';
import { quoting, withoutStop } from '../shared/common-status.ts';
import { BY_ITSELF } from '../shared/failure-report.ts';
import type { FailureReason } from '../shared/failures.ts';
import { decideOn, nextChange } from './decide.ts';
import { counted, names } from './endpoints.ts';
import { managesEndpoints } from './goal.ts';
import type { InventoryEntry } from './resource.ts';
import type { Ended, Known } from './work.ts';

/** What keeps the goal from being reached. */
export interface Problem {
  readonly reason: FailureReason;
  readonly message: string;
  /** Epoch ms: the next attempt is at this time, or before where the class says so. */
  readonly at?: number | undefined;
  /** Not before `at` either. */
  readonly isExact?: boolean;
}

/** The foremost thing that is not as it should be, of an attempt whose every call worked. */
export function problemOf(known: Known, work: Ended): Problem | undefined {
  return (
    unknownOutcome(known, work) ??
    tooManyRemovals(known, work) ??
    unreadable(known, work) ??
    notSeen(known, work) ??
    refused(known, work) ??
    otherName(known, work) ??
    conflicting(known, work)
  );
}

/** Make sure no change is on its way of which nobody knows what it did */
function unknownOutcome({ draft }: Known, { settleMs }: Ended): Problem | undefined {
  const { pendingChange, privateEndpoints = [] } = draft;
  if (!pendingChange) return undefined;
  const what = inState(privateEndpoints, { Unconfirmed: 'adding', Removing: 'removing' });
  const message = `It is not known whether ${what.join(' and ') || 'the last change'} took effect, and the API may still carry it out. Nothing else is sent until the list shows it or it can no longer take effect; meanwhile the list is read again`;
  return { reason: 'OutcomeUnknown', message, at: Date.parse(pendingChange.time) + settleMs };
}

/** Make sure no more is removed than spec allows */
function tooManyRemovals(known: Known, { goal, now }: Ended): Problem | undefined {
  const { blocked } = decideOn(known, goal, now);
  if (!blocked) return undefined;
  const { length } = blocked;
  const message = `Nothing is sent: ${counted(length)} would be removed (${names(blocked)}), but spec.maxPrivateEndpointRemovals allows ${goal.mostRemovals}. List them again, or set spec.maxPrivateEndpointRemovals to ${length} or more`;
  return { reason: 'RemovalBlocked', message };
}

/** Make sure the list is known */
function unreadable({ list, draft, requestId }: Known, { goal, now }: Ended): Problem | undefined {
  if (list || !managesEndpoints(goal)) return undefined;
  const since = Date.parse(draft.listLeftOutSince ?? '');
  const empty = [since + waits.LEFT_OUT_IS_EMPTY_MS, since + waits.LEFT_OUT_ALL_GONE_MS];
  const message = `The response has no readable list of private endpoints${quoting(requestId)}, so none is added or removed. The list is asked for again; if this does not change, contact the support of the API`;
  return { reason: 'NotConfirmed', message, at: empty.find((at) => at > now) };
}

/** Make sure each endpoint is seen to be there, or gone */
function notSeen({ draft, requestId }: Known, { goal, now }: Ended): Problem | undefined {
  const { privateEndpoints: inventory = [] } = draft;
  const open = inventory.filter(({ state }) => state !== 'Present' && state !== 'Refused');
  if (open.length === 0 || !managesEndpoints(goal)) return undefined;
  const what = inState(open, {
    Unconfirmed: 'added but not in the list yet:',
    Removing: 'removed but still in the list:',
    Missing: 'no longer in the list:',
  });
  const isSent = open.some(({ state }) => state !== 'Missing');
  const help = isSent ? '; if this does not change, contact the support of the API' : '';
  const message = `Private endpoints ${what.join('; ')}${quoting(requestId)}. The list is read again at status.nextAttemptTime before anything else is sent for them${help}`;
  return { reason: 'NotConfirmed', message, at: earliest(inventory, now) };
}

/** `adding psc-1, psc-2`, for each of these states that has any. */
function inState(
  entries: readonly InventoryEntry[],
  words: Partial<Record<InventoryEntry['state'], string>>,
): string[] {
  return Object.entries(words).flatMap(([wanted, says]) => {
    const found = entries.filter(({ state }) => state === wanted);
    return found.length > 0 ? `${says} ${names(found)}` : [];
  });
}

/** Make sure the API took what was sent; each reason that it gave is said once */
function refused(known: Known, { goal, now }: Ended): Problem | undefined {
  const { draft, nameRefusal, refusalsInRow } = known;
  const inventory = managesEndpoints(goal) ? (draft.privateEndpoints ?? []) : [];
  const entries = inventory.filter(({ lastError }) => lastError);
  const errors = [nameRefusal, ...entries.map(({ lastError }) => lastError)];
  const texts = new Map<string, string>();
  for (const { message = '', requestId } of errors.filter((one) => one !== undefined))
    texts.set(message, `${withoutStop(message)}${quoting(requestId)}`);
  if (texts.size === 0) return undefined;
  const removals = entries.filter(({ state }) => state !== 'Refused');
  const adds = entries.filter(({ state }) => state === 'Refused');
  const added = `${adds.length} of ${counted(goal.listed.size)} (${names(adds)})`;
  const what = [
    ...(nameRefusal ? ['the name'] : []),
    ...(adds.length > 0 ? [added] : []),
    ...(removals.length > 0 ? [`the removal of ${names(removals)}`] : []),
  ].join(' and ');
  const isTired = refusalsInRow >= waits.MOST_REFUSALS;
  const isCutShort = isTired && nextChange(decideOn(known, goal, now), true) !== undefined;
  const rest = isCutShort ? '. Those not tried yet follow in a minute' : '';
  const isOfSpec = adds.length > 0 || nameRefusal !== undefined;
  const todo = isOfSpec ? CHANGE_SPEC : KEEPS_TRYING;
  const said = [...texts.values()].slice(0, 2).join('; ');
  const message = `The API refused ${what}: ${said}${rest}. ${goal.isCleanup ? BY_ITSELF : todo}`;
  const at = isCutShort ? now + waits.UNTRIED_MS : earliest(entries, now);
  return { reason: 'Rejected', message, at, isExact: true };
}

const CHANGE_SPEC = 'Change the spec to what the API accepts';
const KEEPS_TRYING = `${BY_ITSELF}; to keep what cannot be removed, list it again`;

/** Make sure the API keeps the declared name */
function otherName({ name, requestId }: Known, { goal }: Ended): Problem | undefined {
  const isManaged = goal.name !== undefined && !goal.isCleanup;
  if (!isManaged || name === undefined || name === goal.name) return undefined;
  const [has, not] = [name, goal.name ?? ''].map((text) => JSON.stringify(text.slice(0, 64)));
  const message = `The API reports the name ${has}, not ${not}${quoting(requestId)}. The declared name is sent again a few times, then every 6 hours; to end this, declare the name that the API reports`;
  return { reason: 'NotConfirmed', message };
}

/** Make sure no id belongs to somebody else */
function conflicting(known: Known, { goal, now }: Ended): Problem | undefined {
  const { conflicts } = decideOn(known, goal, now);
  if (conflicts.length === 0) return undefined;
  const message = `The API already has the id of ${names(conflicts)} with another cloud provider or region, and that private endpoint does not belong to this object. Neither is added or removed. List it as status.organization.privateEndpoints shows it, or have the other one removed`;
  return { reason: 'EndpointConflict', message };
}

/** Epoch ms: the first that is ahead. */
function earliest(entries: readonly InventoryEntry[], now: number): number | undefined {
  const times = entries.map(({ nextAttemptTime }) => Date.parse(nextAttemptTime ?? ''));
  return times.filter((time) => time > now).sort((a, b) => a - b)[0];
}
