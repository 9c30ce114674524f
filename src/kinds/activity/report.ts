import type { Event, Result } from '../../controller/kind.ts';
import { LATE_RECORD_MS, LATE_RECORD_WAITS } from '../../waits.ts';
import type { Answer, NoCall } from '../shared/calls.ts';
import {
  type CommonStatus,
  failureBefore,
  type KindSummary,
  lastRequestOf,
  quoting,
  saying,
  withoutStop,
} from '../shared/common-status.ts';
import {
  type Adjustment,
  adviceWith,
  BY_ITSELF,
  checkIds,
  type FailedAnswer,
  grantRole,
  reportNoCall,
  resultOf,
} from '../shared/failure-report.ts';
import type { FailureReason } from '../shared/failures.ts';
import { fitTo } from '../shared/fit.ts';
import {
  type Activity,
  type ActivitySpec,
  type ActivityStatus,
  GET_ACTIVITY,
  RECORD_FIELDS,
  record as schema,
} from './resource.ts';

const IDS = 'organizationId and activityId';

const ADVICE = adviceWith({
  Rejected: `Check ${IDS}; they cannot be changed, so create another object with the right ones`,
  Forbidden: grantRole('read activities'),
  NotFound: `A record can appear minutes late. ${BY_ITSELF}. ${checkIds(IDS)}`,
  DependencyNotReady: `Start the service that the record belongs to; the operator does not wake it. ${BY_ITSELF}`,
  OutcomeUnknown: `Reading changes nothing. ${BY_ITSELF}`,
});

/**
 * Turns what came of an attempt into the whole status, the events and the next reconcile. What the
 * record holds goes to `status.activity` and nowhere else: not into a message, an event or the log.
 */
export function report(
  object: Activity,
  spec: ActivitySpec,
  answer: NoCall | Answer,
  now: number,
): Result {
  if (answer.type !== 'success') return reportFailed(object, answer, now);
  const { verdict } = answer;
  const activity = fitTo(schema, verdict.result);
  if (!activity || Object.keys(activity).length === 0) {
    return reportFailed(object, { type: 'failure', verdict: { ...verdict, ...UNREADABLE } }, now);
  }
  const summary = fetched(spec, activity, verdict.requestId);
  const lastRequest = lastRequestOf(GET_ACTIVITY, verdict, now);
  const { status, next } = saying(object, { summary, now, lastRequest });
  const events = recovery(object, verdict.requestId);
  const shown = { ...status, activity };
  return resultOf(object, { status: shown, next, events }, 'fetch', answer);
}

const UNREADABLE = {
  ok: false,
  failure: 'UnexpectedResponse',
  outcome: 'Unavailable',
  message: 'The response has no field of an activity record (HTTP 200)',
} as const;

/** What is said of a record that has been fetched; nothing that is in it. */
export function fetched(
  { activityId }: ActivitySpec,
  record: NonNullable<ActivityStatus['activity']>,
  requestId?: string,
): KindSummary {
  const has = Object.keys(record).length;
  const part = has === RECORD_FIELDS ? '' : `, with ${has} of its ${RECORD_FIELDS} fields`;
  const isOther = record.id !== undefined && record.id.toLowerCase() !== activityId.toLowerCase();
  const doubt = isOther ? '; the id in it is not spec.activityId' : '';
  const message = `The record is in status.activity${part}${doubt}${quoting(requestId)}`;
  return { ready: 'True', reason: 'Fetched', message };
}

/** Nothing for a plain success: the object says it already. */
function recovery(object: Activity, requestId: string | undefined): Event[] {
  const failure = failureBefore(object);
  if (failure === undefined) return [];
  const note = `Fetched the record after ${failure}${quoting(requestId)}`;
  return [{ type: 'Normal', reason: 'Fetched', note }];
}

function reportFailed(object: Activity, answer: FailedAnswer, now: number): Result {
  const isHeld = object.status?.activity !== undefined;
  if (isHeld && answer.type === 'key-refused') return { next: 'on-change', did: answer.type };
  const late = lateUntil(object, answer, now);
  const failure = reportNoCall({
    object,
    answer,
    operation: GET_ACTIVITY,
    advice: (reason) => ADVICE[late === undefined ? reason : 'NotFound'],
    adjust: (reason) => waitsFor(reason, late),
    now,
  });
  const did = 'verdict' in answer ? 'fetch' : answer.type;
  const failed = resultOf(object, failure, did, answer);
  const brought = problemOf(answer);
  return isHeld && brought !== undefined ? stillHeld(object, failed, brought, now) : failed;
}

/** What is wrong, where that is known; not where nothing was tried. */
function problemOf(answer: FailedAnswer): string | undefined {
  if (answer.type === 'no-credential') return answer.problem.message;
  if (answer.type !== 'failure') return undefined;
  const { message, requestId } = answer.verdict;
  return `${withoutStop(message)}${quoting(requestId)}`;
}

/** Until when a record may only be late; some servers answer for one that is not there with 400. */
function lateUntil({ metadata }: Activity, answer: FailedAnswer, now: number): number | undefined {
  if (answer.type !== 'failure') return undefined;
  const isMissing = answer.verdict.failure === 'NotFound' || answer.verdict.httpStatus === 400;
  const until = Date.parse(metadata.creationTimestamp) + LATE_RECORD_MS;
  return isMissing && now < until ? until : undefined;
}

/** For its first minutes an object waits for its record; then a person is told, and it goes on. */
function waitsFor(reason: FailureReason, notAfter: number | undefined): Adjustment {
  if (notAfter === undefined && reason !== 'NotFound') return {};
  const side = notAfter === undefined ? 'Stalled' : 'Reconciling';
  return { rule: { side, ...LATE_RECORD_WAITS }, notAfter };
}

/**
 * The record stays, and the object Ready with it; the message says what the request on demand
 * brought instead, and it is not made again.
 */
function stillHeld(object: Activity, failed: Result, brought: string, now: number): Result {
  const message = `The record is in status.activity. Fetching it again failed: ${brought}`;
  const summary = { ready: 'True', reason: 'Fetched', message } as const;
  const { lastRequest }: CommonStatus = failed.status ?? {};
  const { status, next } = saying(object, { summary, now, lastRequest });
  return { ...failed, status: { ...object.status, ...status }, next };
}
