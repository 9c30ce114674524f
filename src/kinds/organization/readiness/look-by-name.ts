import { lastRequestOf } from '../../status/common-status.ts';
import { countInVain, isAwaited, settling } from '../attempt/progress.ts';
import { openSent } from '../attempt/refused-change.ts';
import { type Work } from '../attempt/session.ts';
import { Listing, tupleOf } from '../endpoints/endpoints.ts';
import { isOurs } from '../goal.ts';
import { settle } from '../ledger/ledger.ts';
import { remarkNotices } from '../ledger/notices.ts';
import { LOOK_BODY, UPDATE_ORGANIZATION } from '../remote.ts';
import type { Organization } from '../resource.ts';
import type { NotedReport } from './attempt-end.ts';
import { type Call, goOnFrom } from './between-steps.ts';
import { reportOther, type Unmade } from './failed-step.ts';

type Failed = Extract<Unmade, { got: 'failure' }>;

const HOUR = 3_600_000;

const LOOK: Call = { step: 'look', by: 'list', body: LOOK_BODY };

/** Looks in a row that failed with 5xx before another way to look is tried. */
const MOST_FAILED_LOOKS = 3;
const LOOK_REFUSALS = new Set([400, 405, 422]);

/** The declared name shows the list too. On deletion without one, what is ours goes unseen. */
export function otherWayToLook(
  object: Organization,
  work: Work,
  failure: Failed,
  now: number,
): NotedReport {
  const { goal, session, plannedAt } = work;
  const { httpStatus = 0 } = failure.verdict;
  const isRefused = LOOK_REFUSALS.has(httpStatus);
  const failedLooks = httpStatus >= 500 && httpStatus <= 599 ? work.notes.failedLooks + 1 : 0;
  const notes = { ...work.notes, failedLooks };
  const step = LOOK;
  if (!isRefused && failedLooks < MOST_FAILED_LOOKS) {
    return reportOther(object, { work: { ...work, notes }, step }, { attempt: failure, now });
  }
  const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, failure.verdict, now);
  const next = { ...work, session: { ...session, draft: { ...session.draft, lastRequest } } };
  if (goal.name !== undefined) {
    const byName = { ...notes, lookByNameUntil: plannedAt.monotonic + HOUR };
    return goOnFrom(object, { ...next, notes: byName }, { call: LOOK, now });
  }
  if (goal.spared && isRefused) return reportUnseen(object, { ...next, notes }, now);
  const hint =
    'Declare spec.name to make the list readable: the operator then sends that name, and the response shows the list';
  return reportOther(object, { work: { ...work, notes }, step }, { attempt: failure, now, hint });
}

/**
 * Nobody can look, so what is ours counts as there, and what was sent as over once it can no longer
 * be at work. What a look has missed waits for the next one.
 */
function reportUnseen(object: Organization, work: Work, now: number): NotedReport {
  const { session, notes, plannedAt, goal } = work;
  const { pendingChange, privateEndpoints = [], ...rest } = session.draft;
  const missed = privateEndpoints.filter(({ state }) => state === 'Missing');
  const others = privateEndpoints.filter((entry) => !missed.includes(entry));
  const proven = others.filter((entry) => isOurs(entry) && entry.state !== 'Unconfirmed');
  const list = new Listing(proven.map(tupleOf));
  const evidence = settling(work, now);
  const sent = openSent({ object, work, now });
  const { inVain, remarks, ...settled } = settle({ ledger: others, list, goal, sent, ...evidence });
  const ledger = [...settled.ledger, ...missed];
  const isOver = sent?.how === 'refused' || (evidence.settled && !isAwaited(pendingChange, ledger));
  const draft = {
    ...rest,
    privateEndpoints: ledger,
    ...(!isOver && pendingChange && { pendingChange }),
  };
  const refusalsInRow = session.refusalsInRow + (sent?.how === 'refused' ? 1 : 0);
  const { monotonic } = plannedAt;
  const fresh = {
    list,
    isAssumed: true,
    responseHash: '',
    secretVersion: '',
    at: monotonic,
  } as const;
  const notices = [...session.notices, ...remarkNotices(remarks)];
  const next = { ...session, draft, fresh, refusalsInRow, notices };
  return goOnFrom(
    object,
    { ...work, notes: { ...countInVain(notes, inVain), looks: notes.looks + 1 }, session: next },
    { call: LOOK, now },
  );
}
