import { isDeepStrictEqual } from 'node:util';
import { awaitChange, goOn, goOnWithSlot } from '../../../controller/outcome.ts';
import { currentReady, requestedAt, withoutUndefined } from '../../status/common-status.ts';
import { type FailureReason, isFailure } from '../../status/failures.ts';
import type { StepDone } from '../act.ts';
import { takeFailure } from '../attempt/failure.ts';
import { type Call, nextStep } from '../attempt/next-step.ts';
import { afterLeaving, intending, type Notes, withOpen } from '../attempt/notes.ts';
import { progress } from '../attempt/progress.ts';
import { anchorOf, isUntold, type Session, type Work } from '../attempt/session.ts';
import { counted } from '../endpoints/wording.ts';
import type { Organization, OrganizationStatus, PendingChange } from '../resource.ts';
import { driftCount, endAttempt, type NotedReport, pendingStatus } from './attempt-end.ts';
import { reportFailed } from './failed-step.ts';
import { fitted } from './size.ts';

type CallDone = Extract<StepDone, { do: 'call' }>;

/** Turns one step and its result into the next step, or into the status that ends the attempt. */
export function reportStep(object: Organization, done: StepDone, now: number): NotedReport {
  switch (done.do) {
    case 'end':
      return endAttempt(object, done.work, now, 'end');
    case 'intend': {
      const { work, step, came } = done;
      if (came.got === 'slot') return reportIntent(object, work, step.pending, now);
      if (came.got === 'no-slot') return reportWaiting(object, work, now);
      return reportFailed(object, { work, step, attempt: came }, now);
    }
    case 'call':
      return reportCall(object, done, now);
  }
}

function reportCall(object: Organization, done: CallDone, now: number): NotedReport {
  const { step, came } = done;
  const work = afterCall(done);
  if (came.got === 'success') {
    const { verdict, secretVersion } = came;
    const after = progress({ object, work, call: step, verdict, secretVersion, now });
    return reportNext(object, after, step.step, now);
  }
  if (came.got === 'failure') {
    const taken = takeFailure(object, { work, call: step }, came.verdict, now);
    if (taken.follows === 'next-step') return reportNext(object, taken.work, step.step, now);
    if (taken.follows === 'record-refusal') return reportRefused(object, taken.work, now);
    if (taken.follows === 'end') return endAttempt(object, taken.work, now, step.step);
    return reportFailed(object, { ...taken, step, attempt: came }, now);
  }
  // An intent that is on record may not wait.
  if (came.got === 'no-slot' && step.step !== 'send') return reportWaiting(object, work, now);
  return reportFailed(object, { work, step, attempt: came }, now);
}

/** With when the call left and was over. From its first byte on an intent may be at work. */
function afterCall({ step, work, came, answeredAt = work.answeredAt }: CallDone): Work {
  const { leftAt } = 'leftAt' in came ? came : {};
  if (leftAt === undefined) return work;
  const notes = step.step === 'send' ? afterLeaving(work.notes, leftAt, work.atWorkMs) : work.notes;
  return { ...work, notes, leftAt, answeredAt };
}

/** Written under the version that was read, or not at all; the call follows only from here. */
function reportIntent(
  object: Organization,
  work: Work,
  pending: PendingChange,
  now: number,
): NotedReport {
  const { session, decidedAt } = work;
  const status = betweenSteps(object, { ...session.draft, pendingChange: pending }, now);
  const intended = intending(work.notes, object, { pending, at: decidedAt.monotonic });
  const { notes, ...said } = onRecord(object, { session, notes: intended }, status);
  return {
    ...said,
    // As it stands until the intent is there: where that is refused, what was sent before keeps its
    // time.
    notes: { ...notes, atWork: intended.atWork },
    outcome: goOnWithSlot,
    did: 'intend',
    // Where the process ends before it is sent, nobody has to wait for it.
    lastWord: {
      status: betweenSteps(object, session.draft, now),
      notices: [],
      // Where another process has looked since, its ledger is newer than the one of this attempt.
      isOnTop: (newer) => {
        const { pendingChange, lastRequest } = (newer as Organization).status ?? {};
        return isDeepStrictEqual([pendingChange, lastRequest], [pending, status.lastRequest]);
      },
    },
    isOnTop: ({ metadata }) => metadata.resourceVersion === object.metadata.resourceVersion,
  };
}

/** The status says that the change was refused; the next step looks at what is there. */
function reportRefused(object: Organization, { session, notes }: Work, now: number): NotedReport {
  const status = betweenSteps(object, session.draft, now);
  const { httpStatus, requestId } = session.refusal ?? {};
  return {
    status,
    outcome: goOn,
    did: 'send',
    facts: { httpStatus, requestId, refused: true },
    notes: keeping(object, notes, { ...session, draft: status }, status),
  };
}

/**
 * The next step follows from what the attempt knows now. It ends here where nothing is left to ask
 * or to send; else its status is that of a later step, and this one is written only if that does
 * not come about.
 */
function reportNext(object: Organization, work: Work, did: Call['step'], now: number): NotedReport {
  const { session, notes } = work;
  const next = nextStep(work);
  if (next.step === 'end') return endAttempt(object, work, now, did);
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

/** Whether this attempt knows more of what was sent, or is there, than the status says. */
function hasSettled({ status }: Organization, { draft }: Session): boolean {
  const { pendingChange, privateEndpoints } = status ?? {};
  return !isDeepStrictEqual(
    [draft.pendingChange, draft.privateEndpoints],
    [pendingChange, privateEndpoints],
  );
}

/**
 * The next call waits for a slot, which may be long in coming. What an answer has settled, or
 * proven, is on record before that: without proof others try. Any other is told where the process
 * ends first.
 */
function reportWaiting(
  object: Organization,
  { session, notes, isShared }: Work,
  now: number,
): NotedReport {
  const did = 'no-slot';
  const { pendingChange, proof } = object.status ?? {};
  const isSettled = pendingChange !== undefined && session.draft.pendingChange === undefined;
  const isProven = isShared && proof === undefined && session.draft.proof !== undefined;
  const said = onRecord(object, { session, notes }, betweenSteps(object, session.draft, now));
  if (isSettled || isProven) return { ...said, outcome: awaitChange, did };
  const lastWord = isUntold(object, session) ? { lastWord: said } : {};
  return { outcome: awaitChange, did, notes: keeping(object, notes, session), ...lastWord };
}

/** A session that goes on from the status that is written now, or that stands. */
function keeping(
  object: Organization,
  notes: Notes,
  session: Session,
  status: OrganizationStatus | undefined = object.status,
): Notes {
  return { ...withOpen(notes, status), session: { ...session, anchor: anchorOf(object, status) } };
}

/**
 * What the attempt has learned so far, as the status says it from now on; its notices and drift are
 * told with it.
 */
function onRecord(
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
    counts: driftCount(session),
    notes: keeping(object, notes, { ...session, draft: status, notices: [], drift: 0 }, status),
  };
}

/**
 * Whether a failure stays in the status, and is counted on, until the attempt has ended: that a
 * look works says nothing of how a change is answered. Of RemovalBlocked there is a next step only
 * where it holds no more; the others a look that works refutes.
 */
const STAYS: Readonly<Record<FailureReason, boolean>> = {
  Rejected: true,
  Unauthorized: false,
  Forbidden: true,
  NotFound: true,
  Conflict: true,
  DependencyNotReady: true,
  RateLimited: true,
  Unavailable: false,
  OutcomeUnknown: true,
  UnexpectedResponse: false,
  NotConfirmed: true,
  SecretNotFound: false,
  SecretInvalid: false,
  SecretForbidden: false,
  SpecInvalid: false,
  TargetConflict: false,
  EndpointConflict: true,
  RemovalBlocked: false,
};

/** The status between two steps: what stood there, or that it is not decided yet. */
export function betweenSteps(
  object: Organization,
  status: OrganizationStatus,
  now: number,
): OrganizationStatus {
  const before = currentReady(object, object.status);
  if (before?.status === 'False' && isFailure(before.reason) && STAYS[before.reason]) {
    const handled = requestedAt(object) ?? status.lastHandledReconcileAt;
    return fitted(
      withoutUndefined({ ...status, nextAttemptTime: undefined, lastHandledReconcileAt: handled }),
    );
  }
  return pendingStatus(object, status, messageFor(status), now);
}

function messageFor({ pendingChange }: OrganizationStatus): string {
  if (!pendingChange) return 'In progress: the next request follows at once';
  const { add, remove, refused } = pendingChange;
  const parts = [
    ...(add.length === 0 ? [] : [`add ${counted(add.length)}`]),
    ...(remove.length === 0 ? [] : [`remove ${counted(remove.length)}`]),
  ].join(', ');
  return refused
    ? `The API refused to ${parts}; the list of private endpoints is read again next`
    : `Ready to send: ${parts}`;
}
