import type { FailureClass, Success, Verdict } from '../../api/reply/verdict.ts';
import type { Event, Result } from '../../controller/kind.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { CALLED_OFF_MS, type FailureRule, NEW_OBJECT_MS } from '../../waits.ts';
import type { Answer, NoCall } from './calls.ts';
import { wholeSecond } from './canonical.ts';
import {
  type CommonStatus,
  commonStatus,
  countAttempts,
  currentReady,
  lastRequestOf,
  quoting,
  readyOf,
  statusWith,
  withoutStop,
} from './common-status.ts';
import { type FailureReason, longestWait, nextWait, sameCause, sideOf } from './failures.ts';

/**
 * The common half of a report on something that did not work; the kind adds its own fields to the
 * status.
 */
export interface FailureReport {
  /** Absent: what stands in the status is right as it is. */
  readonly status?: CommonStatus;
  readonly next: Result['next'];
  readonly events: readonly Event[];
}

/** What a kind says about a failure in place of the table. */
export interface Adjustment {
  /** The kind's own row. */
  readonly rule?: FailureRule | undefined;
  readonly side?: 'Reconciling' | 'Stalled' | undefined;
  /** Epoch ms: the next attempt is then at the latest, whatever class or API would wait. */
  readonly notAfter?: number | undefined;
}

export interface FailureToReport extends Adjustment {
  readonly object: KubeObject;
  readonly previous: CommonStatus | undefined;
  readonly reason: FailureReason;
  readonly message: string;
  readonly now: number;
  /** Where a call was made. */
  readonly verdict?: Verdict | undefined;
  readonly operation?: string | undefined;
  /** Not before this long from now, as far as the class allows. */
  readonly atLeastMs?: number | undefined;
}

/**
 * The failure table as a status: reason, side, attempts, next attempt. Warns once per cause, not
 * per attempt.
 */
export function reportFailure(failure: FailureToReport): FailureReport {
  const { object, previous, reason, message, now, verdict, operation } = failure;
  const attempts = countAttempts(object, previous, reason);
  const own = nextWait(reason, attempts, object.metadata.uid, failure.rule);
  const wait = Math.min(Math.max(own, failure.atLeastMs ?? 0), longestWait(reason));
  const nextAttempt = wholeSecond(
    Math.min(now + wait, failure.notAfter ?? Number.POSITIVE_INFINITY),
  );
  const progress = failure.side ?? failure.rule?.side ?? sideOf(reason, attempts);
  const status = commonStatus(object, previous, {
    summary: { ready: 'False', progress, reason, message },
    now,
    attempts,
    nextAttempt,
    acknowledge: true,
    ...(verdict && operation && { lastRequest: lastRequestOf(operation, verdict, now) }),
  });
  const events = isNews(failure, attempts, progress)
    ? [{ type: 'Warning', reason, note: message } as const]
    : [];
  return { status, next: { at: nextAttempt }, events };
}

function isNews(
  { object, previous, reason }: FailureToReport,
  attempts: number,
  progress: string,
): boolean {
  const before = currentReady(object, previous);
  // It failed for this before, and the status has shown its wait in between.
  if (before?.reason === 'Pending') return attempts === 1;
  const isKnown = before !== undefined && sameCause(before.reason, reason);
  return !isKnown || (previous?.conditions ?? []).every(({ type }) => type !== progress);
}

/** Every end of a call but one that the kind can take for a success, and no call at all. */
export type FailedAnswer =
  | NoCall
  | Exclude<Answer, { type: 'success' }>
  /** HTTP 200 with a result that the kind cannot read; `problem` says why. */
  | { readonly type: 'unreadable'; readonly verdict: Success; readonly problem: string };

export interface FailedAttempt {
  readonly object: KubeObject;
  readonly previous: CommonStatus | undefined;
  readonly answer: FailedAnswer;
  readonly operation: string;
  readonly secretName: string;
  /** What the user of this kind can do about a class. */
  readonly advice: (failure: FailureClass) => string;
  readonly adjust?: (reason: FailureReason) => Adjustment;
  readonly now: number;
}

/** Reports every end of an attempt but success. */
export function reportNoCall(options: FailedAttempt): FailureReport {
  const { object, previous, answer, operation, now } = options;
  const base = { object, previous, now };
  switch (answer.type) {
    case 'target-busy':
      return { next: 'on-change', events: [] };
    case 'not-wanted':
    case 'called-off':
      return { next: { at: now + CALLED_OFF_MS }, events: [] };
    case 'key-refused':
      return reportKeyRefused(options);
    case 'no-credential': {
      const { reason, message } = answer.problem;
      const young = reason === 'SecretNotFound' ? whileYoung(object, now) : {};
      return reportFailure({ ...base, reason, message, ...young, ...options.adjust?.(reason) });
    }
    case 'unreadable': {
      const { verdict } = answer;
      const reason = 'UnexpectedResponse';
      const said = { ...verdict, message: answer.problem };
      const message = failureMessage(said, options.advice(reason));
      const adjusted = options.adjust?.(reason);
      return reportFailure({ ...base, reason, message, verdict, operation, ...adjusted });
    }
    case 'failure': {
      const { verdict, pausedMs = 0, doubt } = answer;
      const reason = verdict.failure;
      const advice = options.advice(reason);
      return reportFailure({
        ...base,
        reason,
        message: failureMessage(verdict, doubt === undefined ? advice : `${doubt}. ${advice}`),
        verdict,
        operation,
        atLeastMs: Math.max(verdict.retryAfterMs ?? 0, pausedMs),
        side: verdict.redirect ? 'Stalled' : undefined,
        ...options.adjust?.(reason),
      });
    }
  }
}

/** Who applies everything at once may have the Secret applied last. */
function whileYoung({ metadata }: KubeObject, now: number): Adjustment {
  const notAfter = Date.parse(metadata.creationTimestamp) + NEW_OBJECT_MS;
  return now < notAfter ? { side: 'Reconciling', notAfter } : { side: 'Stalled' };
}

/**
 * One write at most: an object that shows Unauthorized already keeps its message and its last
 * request. One that was refused itself keeps its time too, also after an edit.
 */
function reportKeyRefused({
  object,
  previous,
  secretName,
  adjust,
  now,
}: FailedAttempt): FailureReport {
  const ready = readyOf(previous);
  const own = ready?.reason === 'Unauthorized' ? Date.parse(previous?.nextAttemptTime ?? '') : 0;
  const latest = Math.min(own || 0, now + longestWait('Unauthorized'));
  const ahead = [latest, adjust?.('Unauthorized').notAfter ?? 0].filter((time) => time > now);
  const at = ahead.length > 0 ? wholeSecond(Math.min(...ahead)) : undefined;
  const next = at === undefined ? 'on-change' : { at };
  if (currentReady(object, previous)?.reason === 'Unauthorized') return { next, events: [] };
  const message = `The API refused the key in the Secret "${secretName}" (HTTP 401). No call is made with it until a trial call succeeds or the Secret changes. Put a valid key in the Secret`;
  const summary = { ready: 'False', progress: 'Stalled', reason: 'Unauthorized', message } as const;
  const status = commonStatus(object, previous, {
    summary,
    now,
    nextAttempt: at,
    acknowledge: false,
  });
  return { status, next, events: [] };
}

/**
 * A stored spec that today's schema refuses. Nothing is scheduled, and what the status says already
 * is not said again.
 */
export function reportSpecInvalid(
  spec: Pick<FailureToReport, 'object' | 'previous' | 'now'> & { readonly problem: string },
): FailureReport {
  const message = `The stored spec is not valid: ${spec.problem}. Correct it; nothing is sent until then`;
  const { status, events } = reportFailure({ ...spec, reason: 'SpecInvalid', message });
  const unscheduled = { ...status, attempts: undefined, nextAttemptTime: undefined };
  return { status: unscheduled, next: 'on-change', events };
}

/**
 * What happened, what to do, and the request id to quote: a stable function of the cause and the
 * attempt.
 */
function failureMessage(
  verdict: { readonly message: string; readonly requestId?: string },
  advice: string,
): string {
  return `${withoutStop(verdict.message)}${quoting(verdict.requestId)}. ${advice}`;
}

/**
 * The result of a report, on top of what the status says besides. Code and id are those of a call
 * that this reconcile made, where it made one.
 */
export function resultOf(
  object: KubeObject,
  { status, next, events }: FailureReport,
  did: string,
  answer?: FailedAnswer | Answer,
): Result {
  if (!status) return { next, events, did };
  const { httpStatus, requestId } = answer && 'verdict' in answer ? answer.verdict : {};
  return {
    status: statusWith<CommonStatus>(object.status ?? {}, status),
    next,
    events,
    did,
    facts: { reason: readyOf(status)?.reason, httpStatus, requestId },
  };
}
