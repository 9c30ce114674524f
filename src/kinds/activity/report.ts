import type { Success } from '../../api/reply/verdict.ts';
import type { Notice, Report } from '../../controller/kind.ts';
import { awaitChange } from '../../controller/outcome.ts';
import { LATE_RECORD_MS, LATE_RECORD_WAITS } from '../../waits.ts';
import { adviceWith, BY_ITSELF, checkIds, grantRole } from '../engine/advice.ts';
import type { Adjustment, FailedAttempt } from '../engine/failure-report.ts';
import { reportCommon, reportFailedCall, statusWith } from '../engine/report.ts';
import {
  type CommonStatus,
  commonStatus,
  failureBefore,
  lastRequestOf,
  quoting,
  withoutStop,
} from '../status/common-status.ts';
import type { FailureReason } from '../status/failures.ts';
import type { ActivityDone } from './plan.ts';
import { type ActivityRecord, fetched, readRecord } from './record.ts';
import { type Activity, type ActivitySpec, GET_ACTIVITY } from './resource.ts';

const HARMLESS = `Reading changes nothing. ${BY_ITSELF}`;
const IDS = 'organizationId and activityId';

const ADVICE = adviceWith({
  Rejected: `Check ${IDS}; they cannot be changed, so create another object with the right ones`,
  Forbidden: grantRole('read activities'),
  NotFound: `A record can appear minutes late. ${BY_ITSELF}. ${checkIds(IDS)}`,
  DependencyNotReady: `Start the service that the record belongs to; the operator does not wake it. ${BY_ITSELF}`,
  Unavailable: HARMLESS,
  OutcomeUnknown: HARMLESS,
});

/**
 * Turns a plan that was carried out into the whole status, the events and the next reconcile. What
 * the record holds goes to `status.activity` and nowhere else: not into a message, an event or a
 * fact for the log.
 */
export function report(object: Activity, done: ActivityDone, now: number): Report {
  if (done.do !== 'call') return reportCommon(object, done, now);
  const { spec, came } = done;
  if (came.got !== 'success') return reportFailed(object, spec, came, now);
  const { verdict } = came;
  const record = readRecord(verdict.result);
  if (record) return reportRecord(object, spec, { record, verdict, now });
  const problem = 'The response has no field of an activity record (HTTP 200)';
  return reportFailed(object, spec, { got: 'unreadable', verdict, problem }, now);
}

function reportRecord(
  object: Activity,
  spec: ActivitySpec,
  got: { readonly record: ActivityRecord; readonly verdict: Success; readonly now: number },
): Report {
  const { record, verdict, now } = got;
  const { httpStatus, requestId } = verdict;
  const common = commonStatus(object, object.status, {
    summary: fetched(spec, record, requestId),
    now,
    lastRequest: lastRequestOf(GET_ACTIVITY, verdict, now),
    acknowledge: true,
  });
  return {
    status: statusWith(object.status, { ...common, activity: record }),
    outcome: awaitChange,
    notices: recovery(object, requestId),
    did: 'fetch',
    facts: { reason: 'Fetched', httpStatus, requestId },
  };
}

/** Nothing for a plain success: the object says it already. */
function recovery(object: Activity, requestId: string | undefined): Notice[] {
  const failure = failureBefore(object);
  if (failure === undefined) return [];
  const note = `Fetched the record after ${failure}${quoting(requestId)}`;
  return [{ type: 'Normal', reason: 'Fetched', note }];
}

function reportFailed(
  object: Activity,
  spec: ActivitySpec,
  attempt: FailedAttempt,
  now: number,
): Report {
  const late = isLate(object, attempt, now);
  const isHeld = object.status?.activity !== undefined;
  const failed = reportFailedCall({
    object,
    previous: object.status,
    attempt,
    operation: GET_ACTIVITY,
    secretName: spec.credentialsSecretRef.name,
    advice: (reason) => ADVICE[late ? 'NotFound' : reason],
    adjust: (reason) => waitsFor(object, reason, late),
    now,
    did: 'fetch',
    staysReady: isHeld,
  });
  const brought = problemOf(attempt);
  return isHeld && brought !== undefined ? stillHeld(object, failed, brought, now) : failed;
}

/** What is wrong, where that is known; not where nothing was tried. */
function problemOf(attempt: FailedAttempt): string | undefined {
  if (attempt.got === 'no-credential') return attempt.problem.message;
  if (!('verdict' in attempt)) return undefined;
  const says = attempt.got === 'unreadable' ? attempt.problem : attempt.verdict.message;
  return `${withoutStop(says)}${quoting(attempt.verdict.requestId)}`;
}

/** Records appear late, and some servers answer for one that is not there yet with 400. */
function isLate({ metadata }: Activity, attempt: FailedAttempt, now: number): boolean {
  if (attempt.got !== 'failure' || now >= Date.parse(metadata.creationTimestamp) + LATE_RECORD_MS)
    return false;
  return attempt.verdict.failure === 'NotFound' || attempt.verdict.httpStatus === 400;
}

/**
 * For its first minutes an object waits for its record; then the user is told, and it goes on
 * asking.
 */
function waitsFor({ metadata }: Activity, reason: FailureReason, late: boolean): Adjustment {
  if (late) {
    const notAfter = Date.parse(metadata.creationTimestamp) + LATE_RECORD_MS;
    return { rule: { side: 'Reconciling', ...LATE_RECORD_WAITS }, notAfter };
  }
  return reason === 'NotFound' ? { rule: { side: 'Stalled', ...LATE_RECORD_WAITS } } : {};
}

/**
 * The record stays, and the object Ready with it; what the request on demand brought instead is
 * told, and it is not made again.
 */
function stillHeld(object: Activity, failed: Report, brought: string, now: number): Report {
  const message = `The record is in status.activity. Fetching it again failed: ${brought}`;
  const { lastRequest } = (failed.status ?? {}) as CommonStatus;
  const common = commonStatus(object, object.status, {
    summary: { ready: 'True', reason: 'Fetched', message },
    now,
    lastRequest,
    acknowledge: true,
  });
  return { ...failed, status: statusWith(object.status, common), outcome: awaitChange };
}
