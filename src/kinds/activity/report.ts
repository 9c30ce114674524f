import type { Success } from '../../api/reply/verdict.ts';
import type { Notice, Report } from '../../controller/kind.ts';
import { awaitChange, recheckAt } from '../../controller/outcome.ts';
import { LATE_RECORD_MS, LATE_RECORD_WAITS } from '../../waits.ts';
import {
  type Adjustment,
  type FailureReport,
  failureMessage,
  reportAttempt,
  reportFailure,
  reportRescheduled,
  reportSpecInvalid,
} from '../engine/failure-report.ts';
import {
  type CommonStatus,
  commonStatus,
  currentReady,
  lastRequestOf,
  quoting,
  withoutUndefined,
} from '../status/common-status.ts';
import type { FailureReason } from '../status/failures.ts';
import type { KindSummary } from '../status/reasons.ts';
import type { Result } from './act.ts';
import { advise } from './advice.ts';
import type { Plan } from './plan.ts';
import { recordFieldNames } from './record.ts';
import { type ActivityRecord, GET_ACTIVITY, readRecord } from './remote.ts';
import type { Activity, ActivitySpec, ActivityStatus } from './resource.ts';

/**
 * Turns a plan and what came of it into the whole status, the events and the next visit. What the
 * record holds goes to `status.activity` and nowhere else: not into a message, an event or a fact
 * for the log.
 */
export function report(object: Activity, plan: Plan, result: Result, now: number): Report {
  switch (plan.do) {
    case 'nothing':
      return { outcome: plan.at === undefined ? awaitChange : recheckAt(plan.at), did: 'nothing' };
    case 'reschedule':
      return reportRescheduled(object.status, plan.at);
    case 'refuse-spec':
      return failed(
        object,
        reportSpecInvalid({ object, previous: object.status, problem: plan.message, now }),
        plan.do,
      );
    case 'suspend':
      return show(object, suspended(plan.fetched), now, plan.do);
    case 'keep':
      return show(object, fetched(plan.spec, plan.record, knownRequestId(object)), now, plan.do);
    case 'fetch':
      return reportFetch(object, plan.spec, result, now);
  }
}

function reportFetch(object: Activity, spec: ActivitySpec, result: Result, now: number): Report {
  if (result.got === 'nothing') return { outcome: awaitChange, did: 'nothing' };
  if (result.got === 'success') return reportReply(object, spec, result.verdict, now);
  // What is held stays Ready behind a closed gate; the limiter wakes it when the gate opens.
  if (result.got === 'circuit-open' && object.status?.activity)
    return { outcome: awaitChange, did: 'circuit-open' };
  const late = isLate(object, result, now);
  const failure = reportAttempt({
    object,
    previous: object.status,
    attempt: result,
    operation: GET_ACTIVITY,
    secretName: spec.credentialsSecretRef.name,
    advice: (reason) => advise(late ? 'NotFound' : reason),
    adjust: (reason) => waitsFor(object, reason, late),
    now,
  });
  const verdict = result.got === 'failure' ? result.verdict : undefined;
  const did = verdict ? 'fetch' : result.got;
  const brought = verdict ?? (result.got === 'no-credential' ? result.problem : undefined);
  if (brought && object.status?.activity) return stillHeld(object, failure, did, brought, now);
  return failed(object, failure, did, verdict);
}

/** Records appear late, and some servers answer for one that is not there yet with 400. */
function isLate({ metadata }: Activity, result: Result, now: number): boolean {
  if (result.got !== 'failure' || now >= Date.parse(metadata.creationTimestamp) + LATE_RECORD_MS)
    return false;
  return result.verdict.failure === 'NotFound' || result.verdict.httpStatus === 400;
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
function stillHeld(
  object: Activity,
  { status: failure, notices }: FailureReport,
  did: string,
  brought: { readonly message: string; readonly requestId?: string; readonly httpStatus?: number },
  now: number,
): Report {
  const { requestId, httpStatus } = brought;
  const says = brought.message.replace(/[.\s]+$/, '');
  const message = `The record is in status.activity; it was asked for once more in vain: ${says}${quoting(requestId)}`;
  const summary = { ready: 'True', reason: 'Fetched', message } as const;
  const { lastRequest } = failure ?? {};
  const common = commonStatus(object, object.status, {
    summary,
    now,
    lastRequest,
    acknowledge: true,
  });
  const facts = { reason: failure?.conditions?.[0]?.reason, httpStatus, requestId };
  return { status: merged(object, common), outcome: awaitChange, notices, did, facts };
}

/** HTTP 200 with a result, which is the record if it has any field of one. */
function reportReply(object: Activity, spec: ActivitySpec, verdict: Success, now: number): Report {
  const { status: previous } = object;
  const { requestId } = verdict;
  const record = readRecord(verdict.result);
  if (!record) {
    const brought = {
      ...verdict,
      message: 'The API gave a result that has no field of an activity (HTTP 200)',
    };
    const message = failureMessage(brought, advise('UnexpectedResponse'));
    const reason = 'UnexpectedResponse';
    const failure = reportFailure({
      object,
      previous,
      reason,
      message,
      now,
      verdict,
      operation: GET_ACTIVITY,
    });
    return previous?.activity
      ? stillHeld(object, failure, 'fetch', brought, now)
      : failed(object, failure, 'fetch', verdict);
  }
  const summary = fetched(spec, record, requestId);
  const lastRequest = lastRequestOf(GET_ACTIVITY, verdict, now);
  const common = commonStatus(object, previous, { summary, now, lastRequest, acknowledge: true });
  const { httpStatus } = verdict;
  return {
    status: merged(object, { ...common, activity: record }),
    outcome: awaitChange,
    notices: recovery(object, requestId),
    did: 'fetch',
    facts: { reason: summary.reason, httpStatus, requestId },
  };
}

/** Nothing for a plain success: the object says it already. */
function recovery(object: Activity, requestId: string | undefined): Notice[] {
  const before = currentReady(object, object.status);
  if (before?.status !== 'False') return [];
  return [
    {
      type: 'Normal',
      reason: 'Fetched',
      note: `Fetched the record after ${before.reason}${quoting(requestId)}`,
    },
  ];
}

function fetched(
  spec: ActivitySpec,
  record: ActivityRecord,
  requestId: string | undefined,
): KindSummary {
  const has = recordFieldNames.filter((name) => record[name] !== undefined).length;
  const all = recordFieldNames.length;
  const part = has === all ? '' : ` with ${has} of its ${all} fields`;
  const other =
    record.id === undefined || record.id.toLowerCase() === spec.activityId.toLowerCase();
  const doubt = other ? '' : '; the id in it is not spec.activityId';
  const message = `The API gave the record${part}, see status.activity${doubt}${quoting(requestId)}`;
  return { ready: 'True', reason: 'Fetched', message };
}

/** Of the call that brought the record, where it was the last one. */
function knownRequestId({ status }: Activity): string | undefined {
  return status?.lastRequest?.outcome === 'Succeeded' ? status.lastRequest.requestId : undefined;
}

function suspended(hasRecord: boolean): KindSummary {
  const reason = 'Suspended';
  const paused = 'No call is made while spec.suspend is true';
  if (hasRecord)
    return { ready: 'True', reason, message: `${paused}; the record is in status.activity` };
  const message = `${paused}; the record has not been fetched. Set spec.suspend to false to fetch it`;
  return { ready: 'False', reason, message };
}

/** A state that answers a one-shot request by itself and schedules nothing. */
function show(object: Activity, summary: KindSummary, now: number, did: string): Report {
  const common = commonStatus(object, object.status, { summary, now, acknowledge: true });
  return { status: merged(object, common), outcome: awaitChange, did };
}

/** The common half of a failure, on top of what is known of the record. */
function failed(
  object: Activity,
  { status, outcome, notices }: FailureReport,
  did: string,
  { httpStatus, requestId }: { readonly httpStatus?: number; readonly requestId?: string } = {},
): Report {
  if (!status) return { outcome, notices, did };
  const facts = { reason: status.conditions?.[0]?.reason, httpStatus, requestId };
  return { status: merged(object, status), outcome, notices, did, facts };
}

function merged(object: Activity, fields: CommonStatus & Partial<ActivityStatus>): ActivityStatus {
  return withoutUndefined({ ...object.status, ...fields });
}
