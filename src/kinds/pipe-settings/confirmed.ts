import type { Success } from '../../api/reply/verdict.ts';
import type { Notice, Report } from '../../controller/kind.ts';
import { awaitChange, type Outcome, recheckAt } from '../../controller/outcome.ts';
import { reportFailure } from '../engine/failure-report.ts';
import { statusWith } from '../engine/report.ts';
import { canonicalJson, digestOf, timestamp, wholeSecond } from '../status/canonical.ts';
import {
  commonStatus,
  failureBefore,
  generationOf,
  lastRequestOf,
  quoting,
  readyOf,
  withoutUndefined,
} from '../status/common-status.ts';
import { nextAssertionAt } from '../status/due.ts';
import { provenAt } from '../target/proof.ts';
import { isSettling } from '../target/unsettled.ts';
import * as changes from './changes.ts';
import { type Comparison, compare, readEcho } from './echo.ts';
import { type Plan, reportedBy } from './plan.ts';
import { declaredOf, UPDATE_PIPE_SETTINGS } from './remote.ts';
import type { PipeSettings, PipeSettingsStatus } from './resource.ts';
import { LIMITS } from './settings.ts';

/** HTTP 200 with a result, and the request that it answers. */
interface Answered {
  readonly object: PipeSettings;
  readonly plan: Extract<Plan, { do: 'call' }>;
  readonly verdict: Success;
  readonly secretVersion: string;
  readonly now: number;
}

/** What the reply shows, whether or not it confirms what is declared. */
interface Shown {
  readonly comparison: Comparison;
  /** What somebody else has changed. */
  readonly drift: readonly changes.Change[];
  /** What this request has changed. */
  readonly changed: readonly changes.Change[];
  readonly status: PipeSettingsStatus;
}

/** How it ends. */
interface Ending {
  readonly reason: 'NotConfirmed' | 'OutcomeUnknown' | 'Applied';
  readonly status: Partial<PipeSettingsStatus>;
  readonly outcome: Outcome;
  readonly notices: readonly Notice[];
}

/** What the reply says about the declared set decides whether it is confirmed. */
export function reportResult(answered: Answered): Report {
  const { httpStatus, requestId } = answered.verdict;
  const shown = read(answered);
  const { reason, status, outcome, notices } = endingOf(answered, shown);
  return {
    status: statusWith(shown.status, status),
    outcome,
    notices: [...driftNotices(shown.drift), ...notices],
    did: 'put',
    facts: { httpStatus, requestId, reason },
    counts: { drift: shown.drift.length },
  };
}

function read(answered: Answered): Shown {
  const { object, plan, verdict, now } = answered;
  const previous = object.status;
  const declared = declaredOf(plan.spec);
  const before = reportedBy(previous, plan.apiHash);
  const echo = readEcho(verdict.result);
  const after = echo.settings;
  const comparison = compare(declared, verdict.result);
  const declaredBefore = requestedBefore(object);
  const drift =
    declaredBefore === undefined
      ? []
      : changes.driftBetween({ declared, declaredBefore, before, after });
  const sameRequest = previous?.applied?.requestHash === plan.request.hash || isSettling(previous);
  return {
    comparison,
    drift,
    changed: changes.confirmedChanges({ declared, before, after, sameRequest }),
    status: {
      ...previous,
      proof: provenAt(now, plan.apiHash),
      ...changes.reportedFields(echo, comparison),
      drift: changes.withDrift(previous?.drift, drift, timestamp(now)),
    },
  };
}

/**
 * Which settings the requests before this one declared: what they changed is no drift.
 *
 *     the last request was confirmed                          those confirmed
 *     it was not, and is of the confirmed or this generation  those confirmed
 *     it was not, and is of a generation between              unknown: no status has its settings
 *     an earlier one may still take effect                    unknown
 */
function requestedBefore(object: PipeSettings): readonly string[] | undefined {
  if (isSettling(object.status)) return undefined;
  const { applied, lastRequest, differences, observedGeneration } = object.status ?? {};
  const confirmed = applied && lastRequest?.outcome === 'Succeeded' && !differences;
  const onRecord = [applied?.generation, generationOf(object)].includes(observedGeneration);
  return confirmed || onRecord ? (applied?.keys ?? []) : undefined;
}

function endingOf(answered: Answered, shown: Shown): Ending {
  const { settledAt } = answered.plan;
  if (shown.comparison.differences.length > 0) return notConfirmed(answered, shown);
  return settledAt === undefined
    ? applied(answered, shown)
    : accepted(answered, shown, wholeSecond(settledAt));
}

function notConfirmed({ object, verdict, now }: Answered, { comparison }: Shown): Ending {
  const reason = 'NotConfirmed';
  const differences = changes.describeDifferences(comparison.differences);
  const message = `The API accepted the settings but reports other values: ${differences}${quoting(verdict.requestId)}. They are sent again a few times, then every 6 hours; if this stays so, declare the values that the API keeps`;
  const { status = {}, ...rest } = reportFailure({
    object,
    previous: object.status,
    reason,
    message,
    now,
    verdict,
    operation: UPDATE_PIPE_SETTINGS,
  });
  return { reason, status, ...rest };
}

/**
 * Not said to be applied yet: an earlier request may take effect after this one, so it is sent once
 * more when that can no longer be.
 */
function accepted(answered: Answered, { changed }: Shown, nextAttempt: number): Ending {
  const { object, plan, verdict, now } = answered;
  const reason = 'OutcomeUnknown';
  const message = `The API accepted ${declaredText(plan).what}${quoting(verdict.requestId)}. An earlier request with other values may still take effect, so the declared values are sent once more at status.nextAttemptTime`;
  const common = commonStatus(object, object.status, {
    summary: { ready: 'False', progress: 'Reconciling', reason, message },
    now,
    nextAttempt,
    lastRequest: lastRequestOf(UPDATE_PIPE_SETTINGS, verdict, now),
    acknowledge: true,
  });
  return {
    reason,
    status: { ...common, history: historyWith(answered, changed) },
    outcome: recheckAt(nextAttempt),
    notices: [],
  };
}

function applied(answered: Answered, { changed, comparison }: Shown): Ending {
  const { object, plan, verdict, secretVersion, now } = answered;
  const reason = 'Applied';
  const { requestId } = verdict;
  const time = timestamp(now);
  const nextAttempt = nextAssertionAt(object, plan.spec, Date.parse(time));
  const message = appliedMessage(plan, comparison.notReported.length, requestId);
  const common = commonStatus(object, object.status, {
    summary: { ready: 'True', reason, message },
    now,
    nextAttempt,
    lastRequest: lastRequestOf(UPDATE_PIPE_SETTINGS, verdict, now),
    acknowledge: true,
  });
  const record = withoutUndefined({
    time,
    generation: generationOf(object),
    requestId,
    requestHash: plan.request.hash,
    responseHash: digestOf(canonicalJson(verdict.result)),
    secretResourceVersion: secretVersion,
    keys: [...plan.request.keys],
  });
  return {
    reason,
    status: { ...common, applied: record, history: historyWith(answered, changed) },
    outcome: nextAttempt === undefined ? awaitChange : recheckAt(nextAttempt),
    notices: appliedNotices(object, changed, requestId),
  };
}

function historyWith(
  { object, verdict, now }: Answered,
  changed: readonly changes.Change[],
): PipeSettingsStatus['history'] {
  const history = object.status?.history;
  if (changed.length === 0) return history;
  const entry = withoutUndefined({
    time: timestamp(now),
    generation: generationOf(object),
    requestId: verdict.requestId,
    changes: changed.slice(0, LIMITS.historyChanges),
  });
  return [...(history ?? []), entry].slice(-LIMITS.history);
}

function declaredText({ request }: Answered['plan']): {
  readonly count: number;
  readonly what: string;
} {
  const count = request.keys.length;
  return { count, what: count === 1 ? 'the declared setting' : `all ${count} declared settings` };
}

function appliedMessage(plan: Answered['plan'], silent: number, requestId?: string): string {
  const { count, what } = declaredText(plan);
  const which = count === 1 ? 'it' : `${silent} of them`;
  const omitted = silent === 0 ? '' : `; the response omitted ${which}, see status.notReported`;
  return `The API accepted ${what}${omitted}${quoting(requestId)}`;
}

/** Nothing for a first plain success: the object says it already. */
function appliedNotices(
  object: PipeSettings,
  changed: readonly changes.Change[],
  requestId?: string,
): Notice[] {
  const failure = failureBefore(object);
  const isFirst = object.status?.applied === undefined || readyOf(object.status) === undefined;
  if (failure === undefined && (isFirst || changed.length === 0)) return [];
  const after = failure === undefined ? '' : ` after ${failure}`;
  const what =
    changed.length === 0
      ? 'Applied the declared settings'
      : `Applied ${changes.describeChanges(changed)}`;
  return [{ type: 'Normal', reason: 'Applied', note: `${what}${after}${quoting(requestId)}` }];
}

function driftNotices(drift: readonly changes.Change[]): Notice[] {
  if (drift.length === 0) return [];
  const note = `Settings that are not declared changed at the API since the last response: ${changes.describeChanges(drift)}`;
  return [{ type: 'Warning', reason: 'DriftDetected', note }];
}
