import { isDeepStrictEqual } from 'node:util';
import { goOn } from '../../../controller/outcome.ts';
import { nextStep, type Step } from '../attempt/next-step.ts';
import { type Notes, openNow, type Session } from '../attempt/notes.ts';
import { anchorOf } from '../attempt/session.ts';
import type { Work } from '../attempt/work.ts';
import type { Organization, OrganizationStatus } from '../resource.ts';
import { driftFact, endAttempt, type NotedReport } from './attempt-end.ts';
import { betweenSteps } from './between-steps.ts';

/** A step that is a call. */
export type Call = Extract<Step, { step: 'look' | 'name' | 'send' }>;

/** A session that goes on from the status that is written now, or that stands. */
export function keeping(
  object: Organization,
  notes: Notes,
  session: Session,
  status: OrganizationStatus | undefined = object.status,
): Notes {
  return {
    ...notes,
    ...openNow(notes, status),
    session: { ...session, anchor: anchorOf(object, status) },
  };
}

export function goOnFrom(
  object: Organization,
  work: Work,
  { call, now }: { readonly call: Call; readonly now: number },
): NotedReport {
  const { session, notes } = work;
  const next = nextStep(work);
  if (next.step === 'end') return ended(endAttempt(object, work, now, call.step));
  const did = call.step;
  // Another name that somebody gave it is on record before it is overwritten.
  const isDrift =
    next.step === 'name' && !isDeepStrictEqual(session.draft.drift, object.status?.drift);
  if (!isDrift && !hasSettled(object, session))
    return { outcome: goOn, did, notes: keeping(object, notes, session) };
  const said = onRecord(object, work, betweenSteps(object, session.draft, now));
  if (isDrift) return { ...said, outcome: goOn, did };
  // The status of the next step tells what became of a change; another attempt would have to find
  // it out anew.
  return { outcome: goOn, did, notes: keeping(object, notes, session), lastWord: said };
}

/**
 * Whether the status says something else of what was sent, or is there, than this attempt knows by
 * now.
 */
function hasSettled({ status }: Organization, { draft }: Session): boolean {
  const { pendingChange, privateEndpoints } = status ?? {};
  return !isDeepStrictEqual(
    [draft.pendingChange, draft.privateEndpoints],
    [pendingChange, privateEndpoints],
  );
}

/**
 * What the attempt has learned so far, as the status says it from now on; its notices and drift are
 * told with it.
 */
export function onRecord(
  object: Organization,
  { session, notes }: Pick<Work, 'session' | 'notes'>,
  status: OrganizationStatus,
): Omit<NotedReport, 'outcome' | 'did'> & {
  readonly status: OrganizationStatus;
  readonly notes: Notes;
} {
  return {
    status,
    notices: session.notices,
    ...(session.drift > 0 && { facts: driftFact(session) }),
    notes: keeping(object, notes, { ...session, draft: status, notices: [], drift: 0 }, status),
  };
}

/** The last word of an attempt. */
export function ended(report: NotedReport): NotedReport {
  const { notes } = report;
  if (!report.status) return report;
  const status: OrganizationStatus = report.status;
  return { ...report, ...(notes && { notes: { ...notes, ...openNow(notes, status) } }) };
}
