import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '../../../api/reply/verdict.ts';
import { awaitChange, goOn, recheckAt } from '../../../controller/outcome.ts';
import { GONE_AFTER_MS } from '../../../waits.ts';
import type { Attempt } from '../../engine/api-call.ts';
import { type FailureReport, reportAttempt } from '../../engine/failure-report.ts';
import { isReady, withoutUndefined } from '../../status/common-status.ts';
import type { Step } from '../attempt/next-step.ts';
import { type Notes, withLostName } from '../attempt/notes.ts';
import type { Session, Work } from '../attempt/session.ts';
import { advise, withoutStop } from '../endpoints/wording.ts';
import { UPDATE_ORGANIZATION } from '../remote.ts';
import type { Organization } from '../resource.ts';
import { driftCount, type NotedReport } from './attempt-end.ts';
import { betweenSteps, ended, keeping, onRecord } from './between-steps.ts';
import { fitted } from './size.ts';

/** Every end of a step but success. */
export type Unmade = Exclude<Attempt, { got: 'success' }>;

/**
 * No slot, no key, called off, or a failure that says nothing about the change: the attempt is
 * over.
 */
export function reportOther(
  object: Organization,
  { work, step }: { readonly work: Work; readonly step: Step },
  {
    attempt,
    now,
    hint,
  }: { readonly attempt: Unmade; readonly now: number; readonly hint?: string },
): NotedReport {
  const { deadline } = work;
  const did = attempt.got === 'failure' ? step.step : attempt.got;
  const isWaiting = attempt.got === 'no-slot' && step.step !== 'send';
  if (isWaiting) return wait(object, work, did, now);
  // What this API has confirmed stays Ready behind a closed gate; the limiter wakes it when the gate
  // opens.
  if (
    attempt.got === 'circuit-open' &&
    isReady(object) &&
    object.status?.applied?.requestHash === work.hash
  ) {
    return { outcome: awaitChange, did };
  }
  const { notes, notAfter } = afterFailure(
    work,
    step,
    'verdict' in attempt ? attempt.verdict : undefined,
    now,
  );
  const latest = Math.min(deadline ?? Number.POSITIVE_INFINITY, notAfter);
  const { status, outcome, notices } = reportAttempt({
    object,
    // The answer to the step before may stand in no status yet.
    previous: work.session.draft,
    attempt,
    operation: UPDATE_ORGANIZATION,
    secretName: work.spec.credentialsSecretRef.name,
    advice: (reason) =>
      hint === undefined ? advise(reason) : `${withoutStop(advise(reason))}. ${hint}`,
    ...(latest < Number.POSITIVE_INFINITY && {
      adjust: () => ({ notAfter: Math.max(latest, now) }),
    }),
    now,
  });
  return failedAttempt(object, work, {
    status,
    outcome: notes.isGone ? goOn : outcome,
    notices,
    notes,
    step,
    did,
    now,
  });
}

/**
 * What an answer has settled, or proven, is on record before anybody waits for a slot: it may be
 * long, and without proof others try. Any other is told where the process ends first.
 */
function wait(
  object: Organization,
  { session, notes, hasRivals }: Work,
  did: string,
  now: number,
): NotedReport {
  const { pendingChange, proof } = object.status ?? {};
  const isSettled = pendingChange !== undefined && session.draft.pendingChange === undefined;
  const isProven = hasRivals && proof === undefined && session.draft.proof !== undefined;
  const said = onRecord(object, { session, notes }, betweenSteps(object, session.draft, now));
  if (isSettled || isProven) return { ...said, outcome: awaitChange, did };
  const lastWord = isUntold(object, session) ? { lastWord: said } : {};
  return { outcome: awaitChange, did, notes: keeping(object, notes, session), ...lastWord };
}

/** The attempt has had an answer that no status tells of. */
function isUntold({ status }: Organization, { draft }: Session): boolean {
  return !isDeepStrictEqual(draft.lastRequest, status?.lastRequest);
}

function failedAttempt(
  object: Organization,
  work: Work,
  said: Omit<FailureReport, 'status'> & {
    readonly status: FailureReport['status'] | undefined;
    readonly notes: Notes;
    readonly step: Step;
    readonly did: string;
    readonly now: number;
  },
): NotedReport {
  const { session, deadline } = work;
  const { status, outcome, notes, step, did, now } = said;
  // An intent that never left, or whose answer says that nothing happened, is on record no more.
  const isOver = step.step === 'send';
  const isLast =
    !status && deadline !== undefined && deadline > now && outcome.next === 'await-change';
  const late = isLast ? recheckAt(deadline) : outcome;
  if (!status && !isOver && !isUntold(object, session))
    return { outcome: late, notices: said.notices, did, notes };
  // Not on top of what stands there: what this attempt has settled would come back with it, and be
  // settled once more.
  const written = fitted(
    withoutUndefined({
      ...session.draft,
      plan: undefined,
      ...status,
      ...(isOver && { pendingChange: undefined }),
    }),
  );
  const { httpStatus, requestId } = status?.lastRequest ?? {};
  const facts = {
    reason: status?.conditions?.[0]?.reason,
    httpStatus,
    requestId,
  };
  return ended({
    status: written,
    outcome: late,
    notices: [...session.notices, ...said.notices],
    did,
    facts,
    counts: driftCount(session),
    notes,
  });
}

/**
 * What this process remembers of a failure, and the latest time of the next attempt where that
 * matters.
 */
function afterFailure(
  {
    goal,
    plannedAt: { monotonic },
    atWorkMs,
    notes: before,
    leftAt = monotonic,
    answeredAt = monotonic,
  }: Work,
  step: Step,
  verdict: Failure | undefined,
  now: number,
): { readonly notes: Notes; readonly notAfter: number } {
  const { session: _, missingSince, isGone: __, lookByNameUntil, lostNames, ...rest } = before;
  const byName = step.step === 'name' || (step.step === 'look' && step.by === 'name');
  const isNameLost = byName && verdict?.outcome === 'Unknown' && goal.name !== undefined;
  const lost = isNameLost
    ? withLostName(before, { name: goal.name, settlesAt: leftAt + atWorkMs }, monotonic)
    : lostNames;
  const notes: Notes = {
    ...rest,
    ...(step.step === 'look' &&
      step.by === 'list' &&
      lookByNameUntil !== undefined && { lookByNameUntil }),
    ...(lost && { lostNames: lost }),
  };
  if (goal.spared === undefined || verdict?.failure !== 'NotFound')
    return { notes, notAfter: Number.POSITIVE_INFINITY };
  const since = missingSince ?? answeredAt;
  const goneAt = since + GONE_AFTER_MS;
  if (monotonic < goneAt)
    return { notes: { ...notes, missingSince: since }, notAfter: now + goneAt - answeredAt };
  return {
    notes: { ...notes, missingSince: since, isGone: true },
    notAfter: Number.POSITIVE_INFINITY,
  };
}
