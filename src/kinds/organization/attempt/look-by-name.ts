import type { Failure } from '../../../api/reply/verdict.ts';
import { Listing, tupleOf } from '../endpoints/endpoints.ts';
import { isOurs } from '../goal.ts';
import { settle } from '../ledger/ledger.ts';
import { remarkNotices } from '../ledger/notices.ts';
import type { Organization } from '../resource.ts';
import { countUnconfirmed } from './notes.ts';
import { isAwaited, settling } from './progress.ts';
import { openSent } from './refused-change.ts';
import { type Work, withLastRequest } from './session.ts';

/** What an answer adds to the attempt, and what has to follow it. */
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

const HOUR = 3_600_000;

/** Looks in a row that failed with 5xx before another way to look is tried. */
const MOST_FAILED_LOOKS = 3;
const LOOK_REFUSALS = new Set([400, 405, 422]);

const HINT =
  'Declare spec.name to make the list readable: the operator then sends that name, and the response shows the list';

/**
 * An API that takes no look: the reply to the declared name shows the list too. On deletion without
 * a name, what is ours goes unseen.
 */
export function otherWayToLook(
  object: Organization,
  before: Work,
  verdict: Failure,
  now: number,
): Taken {
  const { looks } = before.notes;
  const { httpStatus = 0 } = verdict;
  const isRefused = LOOK_REFUSALS.has(httpStatus);
  const failedInRow = httpStatus >= 500 && httpStatus <= 599 ? looks.failedInRow + 1 : 0;
  const work = { ...before, notes: { ...before.notes, looks: { ...looks, failedInRow } } };
  if (!isRefused && failedInRow < MOST_FAILED_LOOKS) return { follows: 'fail', work };
  const { goal, decidedAt } = work;
  const session = withLastRequest(work.session, verdict, now);
  if (goal.name !== undefined) {
    const byName = { ...work.notes.looks, byNameUntil: decidedAt.monotonic + HOUR };
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
  const isOver = isRefused || (evidence.settled && !isAwaited(pendingChange, ledger));
  const counted = countUnconfirmed(notes, settlement.unconfirmedChanges);
  return {
    ...work,
    notes: { ...counted, atWork: { ...notes.atWork, looks: notes.atWork.looks + 1 } },
    session: {
      ...session,
      draft: {
        ...rest,
        privateEndpoints: ledger,
        ...(!isOver && pendingChange && { pendingChange }),
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
