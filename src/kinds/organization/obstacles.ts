import { quoting, withoutStop } from '../shared/common-status.ts';
import type { FailureReason } from '../shared/failures.ts';
import type { Attempted } from './attempt.ts';
import { counted, names, shownName } from './endpoints/wording.ts';
import { type Goal, managesEndpoints } from './goal.ts';
import type { InventoryEntry } from './resource.ts';
import { LEFT_OUT_ALL_GONE_MS, LEFT_OUT_IS_EMPTY_MS, UNTRIED_MS } from './waits.ts';

/** One thing that keeps the goal from being reached. */
export interface Obstacle {
  readonly reason: FailureReason;
  readonly message: string;
  /** Epoch ms: not later than this, whatever the class says. */
  readonly atLatest?: number | undefined;
  /** Epoch ms: not before this. */
  readonly atEarliest?: number | undefined;
}

export interface Ending {
  readonly attempted: Attempted;
  readonly goal: Goal;
  readonly settleMs: number;
  readonly now: number;
}

type Check = (ending: Ending) => Obstacle | undefined;

/** Everything that is not as it should be; the foremost is the reason of the condition. */
export function obstaclesOf(ending: Ending): readonly Obstacle[] {
  return CHECKS.map((check) => check(ending)).filter((found) => found !== undefined);
}

const CHECKS: readonly Check[] = [
  changeIsSettled, // Make sure no change is on its way of which nobody knows what it did
  removalsAreAllowed, // Make sure no more is removed than spec allows
  listIsReadable, // Make sure the list is known
  endpointsAreSettled, // Make sure each endpoint is there, or gone, in two lists where it must be
  nameIsTaken, // Make sure the API keeps the declared name
  nothingIsRefused, // Make sure the API took what was sent
  idsAreFree, // Make sure no id belongs to somebody else
];

function changeIsSettled({ attempted, settleMs }: Ending): Obstacle | undefined {
  const { pendingChange, privateEndpoints = [] } = attempted.draft;
  if (!pendingChange) return undefined;
  const open = (state: InventoryEntry['state']): InventoryEntry[] =>
    privateEndpoints.filter((entry) => entry.state === state && entry.since === pendingChange.time);
  const [adds, removals] = [open('Unconfirmed'), open('Removing')];
  const what = [
    ...(adds.length > 0 ? [`adding ${names(adds)}`] : []),
    ...(removals.length > 0 ? [`removing ${names(removals)}`] : []),
  ].join(' and ');
  const message = `It is not known whether ${what || 'the last change'} took effect, and the API may still carry it out. Nothing else is sent until the list shows it or it can no longer take effect; meanwhile the list is read again`;
  const atLatest = Date.parse(pendingChange.time) + settleMs;
  return { reason: 'OutcomeUnknown', message, atLatest };
}

function removalsAreAllowed({ attempted, goal }: Ending): Obstacle | undefined {
  const { blocked } = attempted.decision;
  if (!blocked) return undefined;
  const count = blocked.length;
  const message = `Nothing is sent: ${counted(count)} would be removed (${names(blocked)}), but spec.maxPrivateEndpointRemovals allows ${goal.mostRemovals}. List them again, or set spec.maxPrivateEndpointRemovals to ${count} or more`;
  return { reason: 'RemovalBlocked', message };
}

function listIsReadable({ attempted, goal, now }: Ending): Obstacle | undefined {
  const { list, observedAt, requestId, draft } = attempted;
  if (list || observedAt === undefined || !managesEndpoints(goal) || draft.pendingChange)
    return undefined;
  const since = Date.parse(draft.listLeftOutSince ?? '');
  const again = [LEFT_OUT_IS_EMPTY_MS, LEFT_OUT_ALL_GONE_MS]
    .map((wait) => since + wait)
    .find((at) => at > now);
  const message = `The response has no readable list of private endpoints${quoting(requestId)}, so none is added or removed. The list is asked for again; if this does not change, contact the support of the API`;
  return { reason: 'NotConfirmed', message, atLatest: again };
}

function endpointsAreSettled({ attempted, goal }: Ending): Obstacle | undefined {
  const { draft, list, requestId } = attempted;
  if (draft.pendingChange || !managesEndpoints(goal) || !list) return undefined;
  const open = (draft.privateEndpoints ?? []).filter(
    ({ state }) => state !== 'Present' && state !== 'Refused',
  );
  if (open.length === 0) return undefined;
  const of = (state: InventoryEntry['state'], says: string): string[] => {
    const entries = open.filter((entry) => entry.state === state);
    return entries.length > 0 ? [`${says}: ${names(entries)}`] : [];
  };
  const what = [
    ...of('Unconfirmed', 'added but not in the list yet'),
    ...of('Removing', 'removed but still in the list'),
    ...of('Missing', 'no longer in the list'),
  ];
  const message = `Private endpoints ${what.join('; ')}${quoting(requestId)}. The list is read again at status.nextAttemptTime before anything else is sent for them`;
  return { reason: 'NotConfirmed', message, atLatest: earliest(open) };
}

function nameIsTaken({ attempted, goal }: Ending): Obstacle | undefined {
  const { name, nameRefusal, requestId, observedAt } = attempted;
  if (goal.isCleanup || goal.name === undefined || nameRefusal || observedAt === undefined)
    return undefined;
  if (name === undefined || name === goal.name || attempted.decision.blocked) return undefined;
  const message = `The API reports the name ${shownName(name)}, not ${shownName(goal.name)}${quoting(requestId)}. The declared name is sent again a few times, then every 6 hours; to end this, declare the name that the API reports`;
  return { reason: 'NotConfirmed', message };
}

/** What the API refused, with each reason that it gave once. */
function nothingIsRefused({ attempted, goal, now }: Ending): Obstacle | undefined {
  const { draft, nameRefusal, isCutShort } = attempted;
  const entries = managesEndpoints(goal)
    ? (draft.privateEndpoints ?? []).filter(({ lastError }) => lastError !== undefined)
    : [];
  if (entries.length === 0 && !nameRefusal) return undefined;
  const errors = [nameRefusal, ...entries.map(({ lastError }) => lastError)];
  const texts = new Map(
    errors.flatMap((error) => {
      const text = withoutStop(error?.message ?? 'no reason given');
      return error ? [[text, `${text}${quoting(error.requestId)}`]] : [];
    }),
  );
  const total = goal.isCleanup ? entries.length : Math.max(goal.listed.size, entries.length);
  const what = [
    ...(nameRefusal ? ['the name'] : []),
    ...(entries.length > 0
      ? [`${entries.length} of ${counted(total)} (${names(entries)})`]
      : []),
  ].join(' and ');
  const todo = goal.isCleanup ? '' : '. Change the spec to what the API accepts';
  const rest = isCutShort ? '. Those not tried yet follow in a minute' : '';
  const message = `The API refused ${what}: ${[...texts.values()].slice(0, 2).join('; ')}${rest}${todo}`;
  const at = isCutShort ? now + UNTRIED_MS : earliest(entries);
  return { reason: 'Rejected', message, atLatest: at, atEarliest: at };
}

function idsAreFree({ attempted: { decision } }: Ending): Obstacle | undefined {
  if (decision.conflicts.length === 0) return undefined;
  const message = `The API already has the id of ${names(decision.conflicts)} with another cloud provider or region, and that private endpoint does not belong to this object. Neither is added or removed. List it as status.organization.privateEndpoints shows it, or have the other one removed`;
  return { reason: 'EndpointConflict', message };
}

function earliest(entries: readonly InventoryEntry[]): number | undefined {
  const times = entries.flatMap(({ nextAttemptTime }) =>
    nextAttemptTime === undefined ? [] : [Date.parse(nextAttemptTime)],
  );
  return times.length === 0 ? undefined : Math.min(...times);
}
