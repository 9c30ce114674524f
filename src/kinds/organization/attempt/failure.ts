import type { Failure } from '../../../api/reply/verdict.ts';
import { LOOK_BY_NAME_MS } from '../../../waits.ts';
import { lastRequestOf, withoutUndefined } from '../../status/common-status.ts';
import { Listing, tupleOf } from '../endpoints/endpoints.ts';
import { isOurs } from '../goal.ts';
import { isSettled, settle } from '../ledger/ledger.ts';
import { remarkNotices } from '../ledger/notices.ts';
import { LIMITS } from '../limits.ts';
import { UPDATE_ORGANIZATION } from '../remote.ts';
import type { Organization, PendingChange } from '../resource.ts';
import type { Call } from './next-step.ts';
import { countUnconfirmed } from './notes.ts';
import { isAwaited, openPart, settling } from './progress.ts';
import { openSent } from './refused-change.ts';
import type { Refusal, Session, Work } from './session.ts';

/** What a failed call adds to the attempt, and what has to follow it. */
export interface Taken {
  readonly work: Work;
  /**
   * `next-step`: the attempt knows more, and its next step follows from that. `record-refusal`: the
   * change was refused, which is put on record before any further call. `end`: nobody can tell what
   * became of the change, and looks will show it. `fail`: nothing is learned of what was sent, and
   * the attempt is over.
   */
  readonly follows: 'next-step' | 'record-refusal' | 'end' | 'fail';
  /** `fail`: what the user can do beside what the class of the failure advises. */
  readonly hint?: string;
}

/** Takes in an answer without a result; `progress` takes in one with a result. */
export function takeFailure(
  object: Organization,
  { work, call }: { readonly work: Work; readonly call: Call },
  verdict: Failure,
  now: number,
): Taken {
  if (call.step === 'look' && call.by === 'list') return otherWayToLook(object, work, verdict, now);
  const refusal = refusalOf(verdict);
  const session = withLastRequest(work.session, verdict, now);
  if (call.step === 'name' && refusal) {
    const named = { ...session, nameRefusal: refusal, isNamed: true as const };
    return { follows: 'next-step', work: { ...work, session: named } };
  }
  if (call.step === 'send' && refusal) {
    const refused = withRefusal(session, call.pending, refusal);
    return { follows: 'record-refusal', work: { ...work, session: refused } };
  }
  if (call.step === 'send' && verdict.outcome === 'Unknown') {
    const { fresh: _, ...lost } = session;
    return { follows: 'end', work: { ...work, session: lost } };
  }
  return { follows: 'fail', work };
}

function withLastRequest(session: Session, verdict: Failure, now: number): Session {
  const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, verdict, now);
  return { ...session, draft: { ...session.draft, lastRequest } };
}

/** After this, nothing of the change is taken for done, and what is there is looked at. */
function withRefusal(before: Session, pending: PendingChange, refusal: Refusal): Session {
  const { fresh: _, ...session } = before;
  const { httpStatus, requestId } = refusal;
  const refused = withoutUndefined({ httpStatus, requestId });
  const draft = { ...session.draft, pendingChange: { ...pending, refused } };
  return { ...session, draft, refusal };
}

/** Answers that blame nobody: nothing happened, or nobody can tell. */
const NO_BLAME = new Set([401, 403, 404, 408, 410, 423, 424, 425, 429]);

/** A 4xx that is about what was sent. */
function refusalOf({ httpStatus, requestId, message }: Failure): Refusal | undefined {
  if (httpStatus === undefined || httpStatus < 400 || httpStatus > 499 || NO_BLAME.has(httpStatus))
    return undefined;
  const text = message.slice(0, LIMITS.refusalText);
  return { httpStatus, ...(requestId !== undefined && { requestId }), message: text };
}

/** Looks in a row that failed with 5xx before another way to look is tried. */
const MOST_FAILED_LOOKS = 3;

/** What an API answers that takes no look. */
const LOOK_REFUSALS: ReadonlySet<number> = new Set([400, 405, 422]);

const HINT =
  'Declare spec.name to make the list readable: the operator then sends that name, and the response shows the list';

/**
 * An API that takes no look: the reply to the declared name shows the list too. On deletion without
 * a name, what is ours goes unseen.
 */
function otherWayToLook(object: Organization, before: Work, verdict: Failure, now: number): Taken {
  const { looks } = before.notes;
  const { httpStatus = 0 } = verdict;
  const isRefused = LOOK_REFUSALS.has(httpStatus);
  const failedInRow = httpStatus >= 500 && httpStatus <= 599 ? looks.failedInRow + 1 : 0;
  const work = { ...before, notes: { ...before.notes, looks: { ...looks, failedInRow } } };
  if (!isRefused && failedInRow < MOST_FAILED_LOOKS) return { follows: 'fail', work };
  const { goal, decidedAt } = work;
  const session = withLastRequest(work.session, verdict, now);
  if (goal.name !== undefined) {
    const byName = { ...work.notes.looks, byNameUntil: decidedAt.monotonic + LOOK_BY_NAME_MS };
    const notes = { ...work.notes, looks: byName };
    return { follows: 'next-step', work: { ...work, session, notes } };
  }
  if (goal.isCleanup && isRefused)
    return { follows: 'next-step', work: unseen(object, { ...work, session }, now) };
  return { follows: 'fail', work, hint: HINT };
}

/**
 * Nobody can look, so what is ours counts as there, and what was sent as over once it can no longer
 * be at work. What a look has missed waits for the next one.
 */
function unseen(object: Organization, work: Work, now: number): Work {
  const { session, notes, decidedAt, goal } = work;
  const { pendingChange, privateEndpoints = [], ...rest } = session.draft;
  const missed = privateEndpoints.filter(({ state }) => state === 'Missing');
  const others = privateEndpoints.filter((entry) => !missed.includes(entry));
  const proven = others.filter((entry) => isOurs(entry) && entry.state !== 'Unconfirmed');
  const list = new Listing(proven.map(tupleOf));
  const evidence = settling(work, now);
  const sent = openSent({ object, work, now });
  const settlement = settle({ ledger: others, list, goal, sent, ...evidence });
  const ledger = [...settlement.ledger, ...missed];
  const isRefused = sent?.how === 'refused';
  const isOver = isRefused || (isSettled(evidence) && !isAwaited(pendingChange, ledger));
  const counted = countUnconfirmed(notes, settlement.unconfirmedChanges);
  return {
    ...work,
    notes: { ...counted, atWork: { ...notes.atWork, looks: notes.atWork.looks + 1 } },
    session: {
      ...session,
      draft: {
        ...rest,
        privateEndpoints: ledger,
        pendingChange: isOver ? undefined : openPart(pendingChange, ledger, isSettled(evidence)),
      },
      fresh: {
        list,
        isAssumed: true,
        responseHash: '',
        secretVersion: '',
        at: decidedAt.monotonic,
      },
      refusalsInRow: session.refusalsInRow + (isRefused ? 1 : 0),
      notices: [...session.notices, ...remarkNotices(settlement.remarks)],
    },
  };
}
