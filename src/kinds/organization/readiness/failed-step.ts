import type { Failure } from '../../../api/reply/verdict.ts';
import { awaitChange, goOn, recheckAt } from '../../../controller/outcome.ts';
import { GONE_AFTER_MS } from '../../../waits.ts';
import { adviceWith, BY_ITSELF, checkIds, grantRole } from '../../engine/advice.ts';
import type { Attempt } from '../../engine/api-call.ts';
import { type FailureReport, reportAttempt } from '../../engine/failure-report.ts';
import { isReady, withoutStop, withoutUndefined } from '../../status/common-status.ts';
import { type Step, sendsName } from '../attempt/next-step.ts';
import { type Notes, withLostName, withOpen } from '../attempt/notes.ts';
import { isUntold, type Work } from '../attempt/session.ts';
import { UPDATE_ORGANIZATION } from '../remote.ts';
import type { Organization, OrganizationStatus } from '../resource.ts';
import { driftCount, type NotedReport } from './attempt-end.ts';
import { fitted } from './size.ts';

const ADVICE = adviceWith({
  Rejected: 'Change the spec to what the API accepts',
  Forbidden: grantRole('change the organization (an admin role)'),
  NotFound: checkIds('organizationId'),
  DependencyNotReady: `The API is waiting for another service. ${BY_ITSELF}`,
  Unavailable: `Nothing was changed. ${BY_ITSELF}`,
  OutcomeUnknown:
    'The operator reads from the API whether it took effect before it sends anything again',
});

/** Every end of a step but success. */
export type Unmade = Exclude<Attempt, { got: 'success' }>;

export interface FailedStep {
  readonly work: Work;
  readonly step: Step;
  readonly attempt: Unmade;
  /** What the user can do beside what the class advises. */
  readonly hint?: string;
}

/**
 * No key, called off, no slot for what may not wait, or a failure that says nothing about the
 * change: the attempt is over.
 */
export function reportFailed(
  object: Organization,
  { work, step, attempt, hint }: FailedStep,
  now: number,
): NotedReport {
  const did = attempt.got === 'failure' ? step.step : attempt.got;
  // What this API has confirmed stays Ready while the circuit breaker is open; the limiter wakes it
  // when that closes.
  const isApplied = object.status?.applied?.requestHash === work.hash;
  if (attempt.got === 'circuit-open' && isReady(object) && isApplied)
    return { outcome: awaitChange, did };
  const verdict = attempt.got === 'failure' ? attempt.verdict : undefined;
  const { notes, notAfter } = afterFailure(work, step, verdict, now);
  const latest = Math.min(work.deadline ?? Number.POSITIVE_INFINITY, notAfter);
  const said = reportAttempt({
    object,
    // The answer to the step before may stand in no status yet.
    previous: work.session.draft,
    attempt,
    operation: UPDATE_ORGANIZATION,
    secretName: work.spec.credentialsSecretRef.name,
    advice: (reason) =>
      hint === undefined ? ADVICE[reason] : `${withoutStop(ADVICE[reason])}. ${hint}`,
    ...(latest < Number.POSITIVE_INFINITY && {
      adjust: () => ({ notAfter: Math.max(latest, now) }),
    }),
    now,
  });
  const outcome = notes.deletion.isGone ? goOn : outcomeBy(work.deadline, said, now);
  return { ...written(object, { work, step, notes, said }), outcome, did };
}

/** Where nothing else says when to go on, the deadline of a deletion does. */
function outcomeBy(
  deadline: number | undefined,
  { status, outcome }: FailureReport,
  now: number,
): NotedReport['outcome'] {
  const isLast =
    !status && deadline !== undefined && deadline > now && outcome.next === 'await-change';
  return isLast ? recheckAt(deadline) : outcome;
}

/** The failure on top of all that this attempt has settled before it. */
function written(
  object: Organization,
  {
    work: { session },
    step,
    notes,
    said: { status, notices },
  }: {
    readonly work: Work;
    readonly step: Step;
    readonly notes: Notes;
    readonly said: FailureReport;
  },
): Omit<NotedReport, 'outcome' | 'did'> {
  // An intent that never left, or whose answer says that nothing happened, is on record no more.
  const isOver = step.step === 'send';
  if (!status && !isOver && !isUntold(object, session)) return { notices, notes };
  // Not on top of what stands there: what this attempt has settled would come back with it, and be
  // settled once more.
  const all: OrganizationStatus = fitted(
    withoutUndefined({
      ...session.draft,
      plan: undefined,
      ...status,
      ...(isOver && { pendingChange: undefined }),
    }),
  );
  const { httpStatus, requestId } = status?.lastRequest ?? {};
  const reason = status?.conditions?.[0]?.reason;
  return {
    status: all,
    notices: [...session.notices, ...notices],
    facts: { reason, httpStatus, requestId },
    counts: driftCount(session),
    notes: withOpen(notes, all),
  };
}

/**
 * What this process remembers of a failure, and the latest time of the next attempt where that
 * matters.
 */
function afterFailure(
  { goal, decidedAt: { monotonic }, atWorkMs, notes: before, leftAt, answeredAt }: Work,
  step: Step,
  verdict: Failure | undefined,
  now: number,
): { readonly notes: Notes; readonly notAfter: number } {
  const isNameLost = sendsName(step) && verdict?.outcome === 'Unknown' && goal.name !== undefined;
  const isListLook = step.step === 'look' && step.by === 'list';
  const notFoundSince = before.deletion.notFoundSince ?? answeredAt;
  const isNotFound = goal.isCleanup && verdict?.failure === 'NotFound';
  const goneAt = notFoundSince + GONE_AFTER_MS;
  const isGone = isNotFound && monotonic >= goneAt;
  const notes: Notes = {
    ...before,
    lostNames: isNameLost
      ? withLostName(before.lostNames, { name: goal.name, settlesAt: leftAt + atWorkMs }, monotonic)
      : before.lostNames,
    looks: isListLook ? before.looks : { ...before.looks, byNameUntil: undefined },
    deletion: {
      ...before.deletion,
      notFoundSince: isNotFound ? notFoundSince : undefined,
      isGone,
    },
  };
  const notAfter = isNotFound && !isGone ? now + goneAt - answeredAt : Number.POSITIVE_INFINITY;
  return { notes, notAfter };
}
