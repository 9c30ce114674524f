import type { FailureClass, Success } from '../../api/reply/verdict.ts';
import type { Notice } from '../../controller/kind.ts';
import { awaitChange, type Outcome, recheckAt } from '../../controller/outcome.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { CALLED_OFF_MS, type FailureRule } from '../../waits.ts';
import { wholeSecond } from '../status/canonical.ts';
import {
  type CommonStatus,
  commonStatus,
  countAttempts,
  currentReady,
  lastRequestOf,
  quoting,
  readyOf,
  withoutStop,
} from '../status/common-status.ts';
import {
  type FailureReason,
  longestWait,
  nextWait,
  sameCause,
  sideOf,
} from '../status/failures.ts';
import type { Attempt } from './api-call.ts';

/**
 * The common half of a report on something that did not work; the kind adds its own fields to the
 * status.
 */
export interface FailureReport {
  /** Absent: what stands in the status is right as it is. */
  readonly status?: CommonStatus;
  readonly outcome: Outcome;
  readonly notices: readonly Notice[];
}

/** What a kind says about a failure in place of the table. */
export interface Adjustment {
  /** The kind's own row. */
  readonly rule?: FailureRule | undefined;
  /**
   * Epoch ms: the next attempt is at this time's whole second at the latest, also where the class
   * or the API would wait longer.
   */
  readonly notAfter?: number | undefined;
}

export interface FailureToReport extends Adjustment {
  readonly object: KubeObject;
  readonly previous: CommonStatus | undefined;
  readonly reason: FailureReason;
  readonly message: string;
  readonly now: number;
  /** Where a call was made. */
  readonly verdict?: Parameters<typeof lastRequestOf>[1] | undefined;
  readonly operation?: string | undefined;
  /**
   * Not before this long from now, as far as the class allows; through a longer pause of the
   * credential the limiter waits.
   */
  readonly atLeastMs?: number | undefined;
  /** Where the class's own side is not this case's. */
  readonly side?: 'Reconciling' | 'Stalled' | undefined;
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
  const before = currentReady(object, previous);
  const known = before !== undefined && sameCause(before.reason, reason);
  const news = !known || (previous?.conditions ?? []).every(({ type }) => type !== progress);
  return {
    status,
    outcome: recheckAt(nextAttempt),
    notices: news ? [{ type: 'Warning', reason, note: message }] : [],
  };
}

/** Every end of an attempt but one that the kind can take for a success. */
export type FailedAttempt =
  | Exclude<Attempt, { got: 'success' }>
  /** HTTP 200 with a result that the kind cannot read; `problem` says why. */
  | { readonly got: 'unreadable'; readonly verdict: Success; readonly problem: string };

export interface AttemptToReport {
  readonly object: KubeObject;
  readonly previous: CommonStatus | undefined;
  readonly attempt: FailedAttempt;
  readonly operation: string;
  readonly secretName: string;
  /** What the user of this kind can do about a class. */
  readonly advice: (failure: FailureClass) => string;
  readonly adjust?: (reason: FailureReason) => Adjustment;
  readonly now: number;
}

/**
 * A stored spec that today's schema refuses. Nothing is scheduled, and what the status says already
 * is not said again.
 */
export function reportSpecInvalid(options: {
  readonly object: KubeObject;
  readonly previous: CommonStatus | undefined;
  readonly problem: string;
  readonly now: number;
}): FailureReport {
  const { object, previous, problem, now } = options;
  const message = `The stored spec is not valid: ${problem}. Correct it; nothing is sent until then`;
  const before = currentReady(object, previous);
  if (before?.reason === 'SpecInvalid' && before.message === message)
    return { outcome: awaitChange, notices: [] };
  const { status, notices } = reportFailure({
    object,
    previous,
    reason: 'SpecInvalid',
    message,
    now,
  });
  return {
    status: { ...status, attempts: undefined, nextAttemptTime: undefined },
    outcome: awaitChange,
    notices,
  };
}

/** Reports every end of an attempt but success. */
export function reportAttempt(options: AttemptToReport): FailureReport {
  const { object, previous, attempt, now } = options;
  switch (attempt.got) {
    case 'no-slot':
      return { outcome: awaitChange, notices: [] };
    case 'called-off':
      return { outcome: recheckAt(now + CALLED_OFF_MS), notices: [] };
    case 'circuit-open':
      return reportCircuitOpen(options);
    case 'no-credential': {
      const { reason, message } = attempt.problem;
      return reportFailure({ object, previous, reason, message, now, ...options.adjust?.(reason) });
    }
    case 'unreadable': {
      const { problem, verdict } = attempt;
      const reason = 'UnexpectedResponse';
      const message = failureMessage({ ...verdict, message: problem }, options.advice(reason));
      const { operation } = options;
      return reportFailure({ object, previous, reason, message, now, verdict, operation });
    }
    case 'failure': {
      const { verdict, pausedMs = 0 } = attempt;
      const reason = verdict.failure;
      return reportFailure({
        object,
        previous,
        reason,
        message: failureMessage(verdict, options.advice(reason)),
        now,
        verdict,
        operation: options.operation,
        atLeastMs: Math.max(verdict.retryAfterMs ?? 0, pausedMs),
        side: verdict.redirect ? 'Stalled' : undefined,
        ...options.adjust?.(reason),
      });
    }
  }
}

/**
 * One write at most: an object that shows Unauthorized already keeps its message and its last
 * request. Its next attempt keeps its time too, also after an edit, as far as the class allows.
 */
function reportCircuitOpen({
  object,
  previous,
  secretName,
  adjust,
  now,
}: AttemptToReport): FailureReport {
  const { notAfter } = adjust?.('Unauthorized') ?? {};
  const own =
    readyOf(previous)?.reason === 'Unauthorized'
      ? Date.parse(previous?.nextAttemptTime ?? '')
      : undefined;
  // Compared before it is rounded up: or an object whose time has passed would be looked at every
  // second until the circuit breaker gives it its turn.
  const latest = now + longestWait('Unauthorized');
  const times = [Math.min(own ?? 0, latest), notAfter ?? 0];
  const ahead = times.filter((time) => time > now).map(wholeSecond);
  const next = ahead.length > 0 ? Math.min(...ahead) : undefined;
  const outcome = next === undefined ? awaitChange : recheckAt(next);
  if (currentReady(object, previous)?.reason === 'Unauthorized') return { outcome, notices: [] };
  const message = `The API refused the key in the Secret "${secretName}" (HTTP 401). No call is made with it until a trial call succeeds or the Secret changes. Put a valid key in the Secret`;
  const summary = { ready: 'False', progress: 'Stalled', reason: 'Unauthorized', message } as const;
  return {
    status: commonStatus(object, previous, { summary, now, nextAttempt: next, acknowledge: false }),
    outcome,
    notices: [],
  };
}

/**
 * What happened, what to do, and the request id to quote: a stable function of the cause and the
 * attempt.
 */
export function failureMessage(
  verdict: { readonly message: string; readonly requestId?: string },
  advice: string,
): string {
  return `${withoutStop(verdict.message)}${quoting(verdict.requestId)}. ${advice}`;
}
