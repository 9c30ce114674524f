import { SECOND_LOOK_AT_OPEN_MS, TWO_LOOKS_MS, UNTRIED_MS } from '../../../waits.ts';
import { quoting } from '../../status/common-status.ts';
import type { FailureReason } from '../../status/failures.ts';
import { type Decision, looksByName, MOST_REFUSALS, nextChange } from '../attempt/next-step.ts';
import { settlingAt } from '../attempt/notes.ts';
import { type Session, type Work } from '../attempt/session.ts';
import { sameKey } from '../endpoints/endpoints.ts';
import { counted, names, shownName, withoutStop } from '../endpoints/wording.ts';
import { managesEndpoints } from '../goal.ts';
import { openEntries, secondLooks } from '../ledger/times.ts';
import type { LedgerEntry } from '../resource.ts';

/** One thing that keeps the declared state from being confirmed. */
export interface Obstacle {
  readonly reason: FailureReason;
  readonly message: string;
  /** Epoch ms: when to look again; absent: as the class says. */
  readonly at?: number;
  /** Epoch ms: not later than this, whatever the class says. */
  readonly atLatest?: number;
  /** Where the class's own side is not this case's. */
  readonly side?: 'Reconciling';
}

/** What the end of an attempt is judged by. */
export interface Ending {
  readonly work: Work;
  readonly decision: Decision;
  readonly now: number;
}

/** Everything that is not as declared, what ends soonest by itself first. */
export function obstaclesOf(ending: Ending): Obstacle[] {
  const tooMuch = blocked(ending);
  // The only look that there is sends the name, so nobody looks by himself, and no other problem
  // comes to its end.
  if (tooMuch && looksByName(ending.work)) return [tooMuch];
  return [
    lost(ending),
    tooMuch,
    waiting(ending),
    lostName(ending),
    unlisted(ending),
    otherName(ending),
    inVain(ending),
    refused(ending),
    conflicting(ending),
  ].filter((problem) => problem !== undefined);
}

function lost(ending: Ending): Obstacle | undefined {
  const { add, remove } = ending.work.session.draft.pendingChange ?? {};
  const { fresh } = ending.work.session;
  const looking = nextLookAt(ending);
  const isBlind = looking.at === undefined && fresh !== undefined && !fresh.list;
  if (!add || !remove || (isBlind && managesEndpoints(ending.work.goal))) return undefined;
  const what = [
    ...(add.length > 0 ? [`adding ${names(add)}`] : []),
    ...(remove.length > 0 ? [`removing ${names(remove)}`] : []),
  ].join(' and ');
  const { lastRequest } = ending.work.session.draft;
  const said =
    lastRequest?.outcome === 'Unknown'
      ? `${withoutStop(lastRequest.message ?? 'No answer')}${quoting(lastRequest.requestId)}. `
      : '';
  const message = `${said}Whether ${what} took effect is not known, and the API may still be at work on it. Nothing else is sent until that is over; the list of private endpoints is read again meanwhile`;
  const again = secondLooks(ledgerOf(ending.work.session)).filter((at) => at > ending.now);
  const at = looking.at ?? (again.length > 0 ? Math.min(...again) : undefined);
  return { reason: 'OutcomeUnknown', message, ...(at !== undefined && { at }) };
}

/**
 * At once, after 10 s, and when nothing that was sent can be at work any more; after that, where no
 * list tells, as the class says.
 */
function nextLookAt({ work: { notes, plannedAt, session }, now }: Ending): {
  readonly at?: number;
} {
  const open = openEntries(ledgerOf(session)).map((entry) => settlingAt(notes, entry));
  const ahead = [notes.settlesAt, ...open]
    .map((at) => at - plannedAt.monotonic)
    .filter((left) => left > 0);
  if (ahead.length === 0) return {};
  const left = Math.min(...ahead);
  if (notes.looks === 0) return { at: now };
  return { at: now + (notes.looks === 1 ? Math.min(SECOND_LOOK_AT_OPEN_MS, left) : left) };
}

function blocked({ work: { goal }, decision }: Ending): Obstacle | undefined {
  if (!decision.blocked) return undefined;
  const count = decision.blocked.length;
  const message = `Nothing is sent: ${counted(count)} would be removed (${names(decision.blocked)}), and spec.maxPrivateEndpointRemovals allows ${goal.mostRemovals}. List them again, or set it to ${count} or more`;
  return { reason: 'RemovalBlocked', message };
}

function waiting(ending: Ending): Obstacle | undefined {
  const { goal, session } = ending.work;
  if (session.draft.pendingChange || !managesEndpoints(goal) || !session.fresh?.list)
    return undefined;
  const ledger = ledgerOf(session);
  const of = (state: LedgerEntry['state']): LedgerEntry[] =>
    ledger.filter((entry) => entry.state === state);
  const [unconfirmed, removing, missing] = [of('Unconfirmed'), of('Removing'), of('Missing')];
  const what = [
    ...(unconfirmed.length > 0 ? [`added, and not in the list yet: ${names(unconfirmed)}`] : []),
    ...(removing.length > 0 ? [`removed, and still in the list: ${names(removing)}`] : []),
    ...(missing.length > 0 ? [`not in the list any more: ${names(missing)}`] : []),
  ];
  if (what.length === 0) return undefined;
  const again = secondLooks(missing).filter((at) => at > ending.now);
  const { at: openAt } = nextLookAt(ending);
  const open = unconfirmed.length + removing.length > 0 && openAt !== undefined ? [openAt] : [];
  const times = [...again, ...open];
  const message = `Private endpoints ${what.join('; ')}${quoting(session.fresh?.requestId)}. The list is read again, see status.nextAttemptTime, before anything is done about them`;
  const at = times.length > 0 ? { at: Math.min(...times) } : {};
  return { reason: 'NotConfirmed', message, ...at, side: 'Reconciling' };
}

/** Where the API reports another name, that is the fault that is told, and its waits count. */
function lostName({
  work: { notes, goal, plannedAt, session },
  now,
}: Ending): Obstacle | undefined {
  if (goal.name === undefined || goal.spared || (session.fresh?.name ?? goal.name) !== goal.name)
    return undefined;
  const others = (notes.lostNames ?? []).filter(({ name }) => name !== goal.name);
  const settlesAt = Math.max(0, ...others.map((other) => other.settlesAt));
  if (settlesAt <= plannedAt.monotonic) return undefined;
  const message =
    'The API has the declared name, but an earlier request may have had another one and may still be under way. The name is looked at once more when that is over';
  return { reason: 'OutcomeUnknown', message, at: now + settlesAt - plannedAt.monotonic };
}

function unlisted(ending: Ending): Obstacle | undefined {
  const { goal, session, notes, plannedAt } = ending.work;
  const { fresh, draft } = session;
  const isAtWork = draft.pendingChange !== undefined && notes.settlesAt > plannedAt.monotonic;
  if (!fresh || fresh.list || !managesEndpoints(goal) || isAtWork) return undefined;
  const message = `The response has no list of private endpoints${quoting(fresh.requestId)}, so what is there is not known, and none is added or removed. The API is asked again a few times, then every 6 hours; if it stays so, ask its support`;
  // Two looks so far apart may count as an empty list, also after a restart.
  const secondLook = ending.now + TWO_LOOKS_MS + (notes.unlistedSince ?? 0) - plannedAt.monotonic;
  return {
    reason: 'NotConfirmed',
    message,
    ...(secondLook > ending.now && { atLatest: secondLook }),
  };
}

function otherName({ work: { goal, session } }: Ending): Obstacle | undefined {
  const { name } = goal;
  const reported = session.fresh?.name;
  if (goal.spared || name === undefined || reported === undefined || reported === name)
    return undefined;
  if (!session.isNamed || session.nameRefusal) return undefined;
  const message = `The API accepted the name but reports another one: ${shownName(reported)}, not ${shownName(name)}${quoting(session.fresh?.requestId)}. It is sent again a few times, then every 6 hours; if it stays so, declare the name that the API keeps`;
  return { reason: 'NotConfirmed', message };
}

function inVain({ decision: { exhausted } }: Ending): Obstacle | undefined {
  if (exhausted.length === 0) return undefined;
  const message = `The change was sent three times and the API’s list does not show it: ${names(exhausted)}. It is not sent again before the spec changes; ask the API’s support about the requests in status.history and the events`;
  return { reason: 'NotConfirmed', message };
}

/** What the API does not take, by name and with its own words. */
function refused(ending: Ending): Obstacle | undefined {
  const { session, goal } = ending.work;
  const conflicts = new Set(ending.decision.conflicts.map(sameKey));
  // Where the spec has no list any more, nobody wants what was refused.
  const tried = managesEndpoints(goal) ? ledgerOf(session) : [];
  const entries = tried.filter(
    (entry) => entry.lastError !== undefined && !conflicts.has(sameKey(entry)),
  );
  const { nameRefusal } = session;
  if (entries.length === 0 && !nameRefusal) return undefined;
  const isStopped = session.refusalsInRow >= MOST_REFUSALS;
  const untried =
    isStopped && nextChange(ending.decision, { ...session, refusalsInRow: 0 }) !== undefined;
  const said = [nameRefusal, ...entries.map(({ lastError }) => lastError)].filter(
    (error) => error !== undefined,
  );
  const texts = [
    ...new Set(
      said.map(
        ({ message, requestId }) =>
          `${withoutStop(message ?? 'no reason given')}${quoting(requestId)}`,
      ),
    ),
  ];
  const what = [
    ...(nameRefusal ? ['the name'] : []),
    ...(entries.length > 0 ? [names(entries)] : []),
  ].join(' and ');
  const others =
    ledgerOf(session).length > entries.length || (goal.name !== undefined && !nameRefusal);
  const rest = untried
    ? ' What was not tried yet follows in a minute.'
    : others
      ? ' All other changes were applied.'
      : '';
  const message = `Refused: ${what}. ${texts.slice(0, 2).join('; ')}.${rest} Change the spec to what the API accepts, or ask for another try with the annotation pipewright.dev/reconcile-requested-at`;
  const times = entries.flatMap(({ nextAttemptTime }) =>
    nextAttemptTime === undefined ? [] : [Date.parse(nextAttemptTime)],
  );
  const ahead = times.filter((time) => time > ending.now);
  const at = untried ? ending.now + UNTRIED_MS : ahead.length > 0 ? Math.min(...ahead) : undefined;
  return { reason: 'Rejected', message, ...(at !== undefined && { at }) };
}

function conflicting({ decision: { conflicts } }: Ending): Obstacle | undefined {
  if (conflicts.length === 0) return undefined;
  const message = `The id of ${names(conflicts)} is also reported in another spelling or with another cloud provider or region, by an endpoint that is not of this object; neither is added or removed. List it as the API reports it, see status.organization.privateEndpoints, or have the other one removed`;
  return { reason: 'EndpointConflict', message };
}

function ledgerOf({ draft }: Session): readonly LedgerEntry[] {
  return draft.privateEndpoints ?? [];
}
