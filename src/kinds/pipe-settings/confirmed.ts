import type { Success } from '../../api/reply/verdict.ts';
import type { Notice, Report } from '../../controller/kind.ts';
import { awaitChange, recheckAt } from '../../controller/outcome.ts';
import { parseDuration } from '../../duration.ts';
import { reportFailure } from '../engine/failure-report.ts';
import { canonicalJson, digestOf, timestamp, wholeSecond } from '../status/canonical.ts';
import {
  commonStatus,
  currentReady,
  generationOf,
  lastRequestOf,
  quoting,
  readyOf,
  withoutUndefined,
} from '../status/common-status.ts';
import { assertionTime } from '../status/due.ts';
import { provenAt } from '../target/proof.ts';
import { isSettling } from '../target/unsettled.ts';
import { compare, readEcho } from './echo.ts';
import { changesOf, withDrift } from './history.ts';
import { type Plan, reportedBy } from './plan.ts';
import { declaredOf, UPDATE_PIPE_SETTINGS } from './remote.ts';
import type { PipeSettings, PipeSettingsStatus } from './resource.ts';
import * as changes from './setting-changes.ts';

type Put = Extract<Plan, { do: 'put' }>;

export interface Confirmation {
  readonly object: PipeSettings;
  readonly plan: Put;
  readonly verdict: Success;
  readonly secretVersion: string;
  readonly now: number;
}

/**
 * Reports HTTP 200 with a result: what the reply says about the declared set decides whether it is
 * confirmed.
 */
export function reportResult(confirmation: Confirmation): Report {
  const { object, plan, verdict, now } = confirmation;
  const previous = object.status;
  const declared = declaredOf(plan.spec);
  const echo = readEcho(verdict.result);
  const comparison = compare(declared, verdict.result);
  const declaredBefore = requestedBefore(confirmation);
  const before = reportedBy(previous, plan);
  const drift = declaredBefore
    ? changes.driftBetween({ declared, declaredBefore, before, after: echo.settings })
    : [];
  const status: PipeSettingsStatus = {
    ...previous,
    plan: undefined,
    proof: provenAt(now, plan.apiHash),
    ...changes.reportedFields(echo, comparison),
    drift: withDrift(previous?.drift, changes.driftEntries(drift, timestamp(now))),
  };
  const notices = driftNotices(drift);
  const facts = {
    httpStatus: verdict.httpStatus,
    requestId: verdict.requestId,
  };
  const counts = { drift: drift.length };
  if (comparison.differences.length > 0) {
    const failure = reportFailure({
      object,
      previous,
      reason: 'NotConfirmed',
      message: notConfirmedMessage(comparison.differences, verdict.requestId),
      now,
      verdict,
      operation: UPDATE_PIPE_SETTINGS,
    });
    return {
      status: withoutUndefined({ ...status, ...failure.status }),
      outcome: failure.outcome,
      notices: [...notices, ...failure.notices],
      did: 'put',
      facts: { ...facts, reason: 'NotConfirmed' },
      counts,
    };
  }
  if (plan.settledAt !== undefined) {
    const accepted = reportAccepted(confirmation, status, plan.settledAt);
    return {
      ...accepted,
      notices,
      did: 'put',
      facts: { ...facts, reason: 'OutcomeUnknown' },
      counts,
    };
  }
  return {
    ...reportApplied(confirmation, status, notices),
    did: 'put',
    facts: { ...facts, reason: 'Applied' },
    counts,
  };
}

/**
 * Not said to be applied yet: an earlier request may take effect after this one, so it is sent once
 * more when that can no longer be.
 */
function reportAccepted(
  confirmation: Confirmation,
  status: PipeSettingsStatus,
  settledAt: number,
): Pick<Report, 'status' | 'outcome'> {
  const { object, plan, verdict, now } = confirmation;
  const { what } = declaredText(plan);
  const nextAttempt = wholeSecond(settledAt);
  const message = `The API accepted ${what}${quoting(verdict.requestId)}. What is declared is sent once more at status.nextAttemptTime: an earlier request for something else may still take effect until then`;
  const summary = {
    ready: 'False',
    progress: 'Reconciling',
    reason: 'OutcomeUnknown',
    message,
  } as const;
  const lastRequest = lastRequestOf(UPDATE_PIPE_SETTINGS, verdict, now);
  const common = commonStatus(object, object.status, {
    summary,
    now,
    nextAttempt,
    lastRequest,
    acknowledge: true,
  });
  const { history } = changesOf(confirmation, status);
  return {
    status: withoutUndefined({ ...status, ...common, history }),
    outcome: recheckAt(nextAttempt),
  };
}

/**
 * What the requests since the last reply declared, apart from what is declared now. Undefined where
 * a request of another generation came between that nobody confirmed, or may have: what it declared
 * is not on record, and its work must not look like drift.
 */
function requestedBefore({ object }: Confirmation): readonly string[] | undefined {
  if (isSettling(object.status)) return undefined;
  const { applied, lastRequest, differences, observedGeneration } = object.status ?? {};
  const confirmed = applied && lastRequest?.outcome === 'Succeeded' && !differences;
  const onRecord = [applied?.generation, generationOf(object)].includes(observedGeneration);
  return confirmed || onRecord ? (applied?.keys ?? []) : undefined;
}

function reportApplied(
  confirmation: Confirmation,
  status: PipeSettingsStatus,
  notices: readonly Notice[],
): Pick<Report, 'status' | 'outcome' | 'notices'> {
  const { object, plan, verdict, secretVersion, now } = confirmation;
  const previous = object.status;
  const time = timestamp(now);
  const generation = generationOf(object);
  const { requestId } = verdict;
  const { changed, history } = changesOf(confirmation, status);
  const nextAttempt = nextAssertion(object, plan, time);
  const silent = status.notReported?.length ?? 0;
  const summary = {
    ready: 'True',
    reason: 'Applied',
    message: appliedMessage(plan, silent, requestId),
  } as const;
  return {
    status: withoutUndefined({
      ...status,
      ...commonStatus(object, previous, {
        summary,
        now,
        nextAttempt,
        acknowledge: true,
        lastRequest: lastRequestOf(UPDATE_PIPE_SETTINGS, verdict, now),
      }),
      applied: withoutUndefined({
        time,
        generation,
        requestId,
        requestHash: plan.request.hash,
        responseHash: digestOf(canonicalJson(verdict.result)),
        secretResourceVersion: secretVersion,
        keys: [...plan.request.keys],
      }),
      history,
    }),
    outcome: nextAttempt === undefined ? awaitChange : recheckAt(nextAttempt),
    notices: [...notices, ...appliedNotices(object, changed, requestId)],
  };
}

function nextAssertion(object: PipeSettings, plan: Put, appliedTime: string): number | undefined {
  const interval =
    plan.spec.reassertInterval === undefined
      ? undefined
      : parseDuration(plan.spec.reassertInterval);
  return interval === undefined
    ? undefined
    : wholeSecond(assertionTime(Date.parse(appliedTime), interval, object.metadata.uid));
}

function declaredText({ request }: Put): { readonly count: number; readonly what: string } {
  const count = request.keys.length;
  return { count, what: count === 1 ? 'the declared setting' : `all ${count} declared settings` };
}

function appliedMessage(plan: Put, silent: number, requestId: string | undefined): string {
  const { count, what } = declaredText(plan);
  const which = count === 1 ? 'it' : `${silent} of them`;
  const unsaid =
    silent === 0 ? '' : `; the reply was silent about ${which}, see status.notReported`;
  return `The API accepted ${what}${unsaid}${quoting(requestId)}`;
}

function notConfirmedMessage(
  differences: Parameters<typeof changes.describeDifferences>[0],
  requestId?: string,
): string {
  return `The API accepted the settings but reports other values: ${changes.describeDifferences(differences)}${quoting(requestId)}. It is asked again a few times, then every 6 hours; if it stays so, declare the value that the API keeps`;
}

/** Nothing for a first plain success: the object says it already. */
function appliedNotices(
  object: PipeSettings,
  changed: readonly changes.Change[],
  requestId?: string,
): Notice[] {
  const before = readyOf(object.status);
  const current = currentReady(object, object.status);
  // A plan is no failure that this object could have recovered from.
  const recovered = current?.status === 'False' && current.reason !== 'Planned';
  const first = object.status?.applied === undefined;
  if (!recovered && (first || changed.length === 0 || before === undefined)) return [];
  const after = recovered ? ` after ${before?.reason ?? 'a failure'}` : '';
  const what =
    changed.length === 0
      ? 'Applied the declared settings'
      : `Applied ${changes.describeChanges(changed)}`;
  return [{ type: 'Normal', reason: 'Applied', note: `${what}${after}${quoting(requestId)}` }];
}

function driftNotices(drift: readonly changes.Change[]): Notice[] {
  if (drift.length === 0) return [];
  const note = `Settings that nobody declares changed at the API since the last reply: ${changes.describeChanges(drift)}`;
  return [{ type: 'Warning', reason: 'DriftDetected', note }];
}
