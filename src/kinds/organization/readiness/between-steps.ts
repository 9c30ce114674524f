import { isDeepStrictEqual } from 'node:util';
import { awaitChange, goOn } from '../../../controller/outcome.ts';
import {
  commonStatus,
  currentReady,
  requestedAt,
  withoutUndefined,
} from '../../status/common-status.ts';
import { type Call, nextStep } from '../attempt/next-step.ts';
import { type Notes, withOpen } from '../attempt/notes.ts';
import { anchorOf, type Session, type Work } from '../attempt/session.ts';
import { counted } from '../endpoints/wording.ts';
import type { Organization, OrganizationStatus } from '../resource.ts';
import { driftCount, endAttempt, type NotedReport } from './attempt-end.ts';
import { fitted } from './size.ts';

/**
 * The next step follows from what the attempt knows now. It ends here where nothing is left to ask
 * or to send; else its status is that of a later step, and this one is written only if that does
 * not come about.
 */
export function reportNext(
  object: Organization,
  work: Work,
  did: Call['step'],
  now: number,
): NotedReport {
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
export function reportWaiting(
  object: Organization,
  { session, notes, isShared }: Work,
  did: string,
  now: number,
): NotedReport {
  const { pendingChange, proof } = object.status ?? {};
  const isSettled = pendingChange !== undefined && session.draft.pendingChange === undefined;
  const isProven = isShared && proof === undefined && session.draft.proof !== undefined;
  const said = onRecord(object, { session, notes }, betweenSteps(object, session.draft, now));
  if (isSettled || isProven) return { ...said, outcome: awaitChange, did };
  const lastWord = isUntold(object, session) ? { lastWord: said } : {};
  return { outcome: awaitChange, did, notes: keeping(object, notes, session), ...lastWord };
}

/** The attempt has had an answer that no status tells of. */
export function isUntold({ status }: Organization, { draft }: Session): boolean {
  return !isDeepStrictEqual(draft.lastRequest, status?.lastRequest);
}

/** A session that goes on from the status that is written now, or that stands. */
export function keeping(
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
    ...(session.drift > 0 && { counts: driftCount(session) }),
    notes: keeping(object, notes, { ...session, draft: status, notices: [], drift: 0 }, status),
  };
}

/**
 * Failures that stay in the status, and are counted on, until the attempt has ended: that a look
 * works says nothing of how a change is answered. RemovalBlocked is none of them: there is a next
 * step only where it holds no more.
 */
const STANDING = new Set([
  'NotConfirmed',
  'OutcomeUnknown',
  'Rejected',
  'EndpointConflict',
  'Forbidden',
  'NotFound',
  'Conflict',
  'DependencyNotReady',
  'RateLimited',
]);

/** The status between two steps: what stood there, or that it is not decided yet. */
export function betweenSteps(
  object: Organization,
  status: OrganizationStatus,
  now: number,
): OrganizationStatus {
  const before = currentReady(object, object.status);
  if (before?.status === 'False' && STANDING.has(before.reason)) {
    const handled = requestedAt(object) ?? status.lastHandledReconcileAt;
    return fitted(
      withoutUndefined({ ...status, nextAttemptTime: undefined, lastHandledReconcileAt: handled }),
    );
  }
  const message = messageFor(status);
  const summary = {
    ready: 'Unknown',
    progress: 'Reconciling',
    reason: 'Pending',
    message,
  } as const;
  const common = commonStatus(object, object.status, {
    summary,
    now,
    acknowledge: true,
    lastRequest: status.lastRequest,
  });
  return fitted(withoutUndefined({ ...status, ...common }));
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

/** The previous status with other fields, and without a plan: this is not Plan mode. */
export function merged(
  object: Organization,
  more: Partial<OrganizationStatus>,
): OrganizationStatus {
  return fitted(withoutUndefined({ ...object.status, plan: undefined, ...more }));
}
