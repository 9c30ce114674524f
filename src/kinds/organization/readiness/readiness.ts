import { SECOND_LOOK_AT_OPEN_MS, TWO_LOOKS_MS, UNTRIED_MS } from '../../../waits.ts';
import { quoting, withoutStop } from '../../status/common-status.ts';
import type { FailureReason } from '../../status/failures.ts';
import { type Decision, looksByName, MOST_REFUSALS, nextChange } from '../attempt/next-step.ts';
import { settlingAt } from '../attempt/notes.ts';
import type { Session, Work } from '../attempt/session.ts';
import { sameKey } from '../endpoints/endpoints.ts';
import { counted, names, shownName } from '../endpoints/wording.ts';
import { managesEndpoints } from '../goal.ts';
import { nextOf, openEntries, secondLooks } from '../ledger/times.ts';
import type { LedgerEntry } from '../resource.ts';

/** One thing that keeps the declared state from being confirmed. */
export interface Obstacle {
  readonly reason: FailureReason;
  readonly message: string;
  /** Epoch ms: when to look again; absent: as the class says. */
  readonly at?: number | undefined;
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
  // The only possible look sends the name, so none is made, and no other obstacle can be seen to
  // end.
  if (tooMuch && looksByName(ending.work)) return [tooMuch];
  const before = [
    lost(ending),
    tooMuch,
    waiting(ending),
    lostName(ending),
    unlisted(ending),
    otherName(ending),
    unconfirmed(ending),
  ];
  const conflict = conflicting(ending);
  const isAlone = [...before, conflict].every((problem) => problem === undefined);
  return [...before, refused(ending, isAlone), conflict].filter((problem) => problem !== undefined);
}

function lost(ending: Ending): Obstacle | undefined {
  const { add, remove } = ending.work.session.draft.pendingChange ?? {};
  const { fresh } = ending.work.session;
  const lookAt = nextLookAt(ending);
  const isBlind = lookAt === undefined && fresh !== undefined && !fresh.list;
  if (!add || !remove || (isBlind && managesEndpoints(ending.work.goal))) return undefined;
  const present = ledgerOf(ending.work.session).filter(({ state }) => state === 'Present');
  const shown = new Set(present.map(sameKey));
  const unseen = add.filter((tuple) => !shown.has(sameKey(tuple)));
  const what = [
    ...(unseen.length > 0 ? [`adding ${names(unseen)}`] : []),
    ...(remove.length > 0 ? [`removing ${names(remove)}`] : []),
  ].join(' and ');
  const open =
    what === ''
      ? `The list shows ${names(add)} by now, but the API may still be working on the request that was to add it`
      : `It is not known whether ${what} took effect, and the API may still be working on it`;
  const { lastRequest } = ending.work.session.draft;
  const said =
    lastRequest?.outcome === 'Unknown'
      ? `${withoutStop(lastRequest.message ?? 'No answer')}${quoting(lastRequest.requestId)}. `
      : '';
  const message = `${said}${open}. Nothing else is sent until that is over; meanwhile the list of private endpoints is read again`;
  const at = lookAt ?? nextOf(secondLooks(ledgerOf(ending.work.session)), ending.now);
  return { reason: 'OutcomeUnknown', message, at };
}

/**
 * At once, after 10 s, and when nothing that was sent can be at work any more; after that, where no
 * list tells, as the class says.
 */
function nextLookAt({ work: { notes, decidedAt, session }, now }: Ending): number | undefined {
  const open = openEntries(ledgerOf(session)).map((entry) => settlingAt(notes.atWork, entry));
  const ahead = [notes.atWork.settlesAt, ...open]
    .map((at) => at - decidedAt.monotonic)
    .filter((left) => left > 0);
  if (ahead.length === 0) return undefined;
  const left = Math.min(...ahead);
  const { looks } = notes.atWork;
  if (looks === 0) return now;
  return now + (looks === 1 ? Math.min(SECOND_LOOK_AT_OPEN_MS, left) : left);
}

function blocked({ work: { goal }, decision }: Ending): Obstacle | undefined {
  if (!decision.blocked) return undefined;
  const count = decision.blocked.length;
  const message = `Nothing is sent: ${counted(count)} would be removed (${names(decision.blocked)}), but spec.maxPrivateEndpointRemovals allows ${goal.mostRemovals}. List them again, or set spec.maxPrivateEndpointRemovals to ${count} or more`;
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
    ...(unconfirmed.length > 0 ? [`added but not in the list yet: ${names(unconfirmed)}`] : []),
    ...(removing.length > 0 ? [`removed but still in the list: ${names(removing)}`] : []),
    ...(missing.length > 0 ? [`no longer in the list: ${names(missing)}`] : []),
  ];
  if (what.length === 0) return undefined;
  const again = secondLooks(missing).filter((at) => at > ending.now);
  const open = unconfirmed.length + removing.length > 0 ? nextLookAt(ending) : undefined;
  const times = open === undefined ? again : [...again, open];
  const message = `Private endpoints ${what.join('; ')}${quoting(session.fresh?.requestId)}. The list is read again at status.nextAttemptTime before anything else is sent for them`;
  const at = times.length > 0 ? { at: Math.min(...times) } : {};
  return { reason: 'NotConfirmed', message, ...at, side: 'Reconciling' };
}

/**
 * Where the API reports another name than the declared one, `otherName` says so, with its own
 * waits.
 */
function lostName({
  work: { notes, goal, decidedAt, session },
  now,
}: Ending): Obstacle | undefined {
  if (goal.name === undefined || goal.isCleanup || (session.fresh?.name ?? goal.name) !== goal.name)
    return undefined;
  const others = notes.lostNames.filter(({ name }) => name !== goal.name);
  const settlesAt = Math.max(0, ...others.map((other) => other.settlesAt));
  if (settlesAt <= decidedAt.monotonic) return undefined;
  const message =
    'The API has the declared name, but an earlier request with another name got no response and may still take effect. The name is read again once that is no longer possible';
  return { reason: 'OutcomeUnknown', message, at: now + settlesAt - decidedAt.monotonic };
}

function unlisted(ending: Ending): Obstacle | undefined {
  const { goal, session, notes, decidedAt } = ending.work;
  const { fresh, draft } = session;
  const isAtWork =
    draft.pendingChange !== undefined && notes.atWork.settlesAt > decidedAt.monotonic;
  if (!fresh || fresh.list || !managesEndpoints(goal) || isAtWork) return undefined;
  const message = `The response has no list of private endpoints${quoting(fresh.requestId)}, so none is added or removed. The list is requested again a few times, then every 6 hours; if this does not change, contact the support of the API`;
  // Two looks so far apart may count as an empty list, also after a restart.
  const secondLook =
    ending.now + TWO_LOOKS_MS + (notes.looks.unlistedSince ?? 0) - decidedAt.monotonic;
  return {
    reason: 'NotConfirmed',
    message,
    ...(secondLook > ending.now && { atLatest: secondLook }),
  };
}

function otherName({ work: { goal, session } }: Ending): Obstacle | undefined {
  const { name } = goal;
  const reported = session.fresh?.name;
  if (goal.isCleanup || name === undefined || reported === undefined || reported === name)
    return undefined;
  if (!session.isNamed || session.nameRefusal) return undefined;
  const message = `The API accepted the name but reports another one: ${shownName(reported)}, not ${shownName(name)}${quoting(session.fresh?.requestId)}. It is sent again a few times, then every 6 hours; to end this, declare the name that the API reports`;
  return { reason: 'NotConfirmed', message };
}

function unconfirmed({ decision: { exhausted } }: Ending): Obstacle | undefined {
  if (exhausted.length === 0) return undefined;
  const message = `The change was sent three times, but the list of the API does not show it: ${names(exhausted)}. It is not sent again until the spec changes; contact the support of the API with the request ids in the events`;
  return { reason: 'NotConfirmed', message };
}

/** What the API refused, with the reasons that it gave. `isAlone`: all else is as declared. */
function refused(ending: Ending, isAlone: boolean): Obstacle | undefined {
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
    isAlone &&
    (ledgerOf(session).length > entries.length || (goal.name !== undefined && !nameRefusal));
  const rest = untried
    ? ' The changes that were not tried yet follow in a minute.'
    : others
      ? ' All other changes were applied.'
      : '';
  const message = `Refused: ${what}. ${texts.slice(0, 2).join('; ')}.${rest} Change the spec to what the API accepts, or set the annotation pipewright.dev/reconcile-requested-at to try again`;
  const times = entries.map(({ nextAttemptTime }) => Date.parse(nextAttemptTime ?? ''));
  const at = untried ? ending.now + UNTRIED_MS : nextOf(times, ending.now);
  return { reason: 'Rejected', message, at };
}

function conflicting({ decision: { conflicts } }: Ending): Obstacle | undefined {
  if (conflicts.length === 0) return undefined;
  const message = `The API already has the id of ${names(conflicts)} in another spelling, or with another cloud provider or region, and that endpoint does not belong to this object. Neither is added or removed. List the endpoint as status.organization.privateEndpoints shows it, or have the other one removed`;
  return { reason: 'EndpointConflict', message };
}

function ledgerOf({ draft }: Session): readonly LedgerEntry[] {
  return draft.privateEndpoints ?? [];
}
