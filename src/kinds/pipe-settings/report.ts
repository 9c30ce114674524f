import type { Report } from '../../controller/kind.ts';
import { awaitChange, recheckAt } from '../../controller/outcome.ts';
import { reportAttempt, reportRescheduled, reportSpecInvalid } from '../engine/failure-report.ts';
import { timestamp } from '../status/canonical.ts';
import {
  type CommonStatus,
  commonStatus,
  isReady,
  withoutUndefined,
} from '../status/common-status.ts';
import { plannedSummary } from '../status/planned.ts';
import type { KindSummary } from '../status/reasons.ts';
import { reportConflict } from '../target/conflict-report.ts';
import type { Result } from './act.ts';
import { advise } from './advice.ts';
import { reportResult } from './confirmed.ts';
import { isConfirmed, type Plan, reportedBy } from './plan.ts';
import { declaredOf, UPDATE_PIPE_SETTINGS } from './remote.ts';
import { type PipeSettings, type PipeSettingsStatus, pipeSettingsType } from './resource.ts';
import { plannedChanges } from './setting-changes.ts';

/** Turns a plan and what came of it into the whole status, the events and the next visit. */
export function report(object: PipeSettings, plan: Plan, result: Result, now: number): Report {
  switch (plan.do) {
    case 'nothing':
      return { outcome: plan.at === undefined ? awaitChange : recheckAt(plan.at), did: 'nothing' };
    case 'reschedule':
      return reportRescheduled(object.status, plan.at);
    case 'refuse-spec':
      return refuseSpec(object, plan.message, now);
    case 'suspend':
      return show(object, suspended(plan.confirmed), now, 'suspend');
    case 'yield':
      return yieldTo(object, plan, now);
    case 'preview':
      return preview(object, plan, now);
    case 'put':
      return reportPut(object, plan, result, now);
  }
}

function reportPut(
  object: PipeSettings,
  plan: Extract<Plan, { do: 'put' }>,
  result: Result,
  now: number,
): Report {
  if (result.got === 'nothing') return { outcome: awaitChange, did: 'nothing' };
  if (result.got === 'success') return reportResult({ object, plan, ...result, now });
  // What is Ready stays so behind a closed gate; the limiter wakes it when the gate opens.
  if (result.got === 'circuit-open' && isReady(object) && isConfirmed(object, plan.request)) {
    return { outcome: awaitChange, did: 'circuit-open' };
  }
  const { status, outcome, notices } = reportAttempt({
    object,
    previous: object.status,
    attempt: result,
    operation: UPDATE_PIPE_SETTINGS,
    secretName: plan.spec.credentialsSecretRef.name,
    advice: advise,
    now,
  });
  const did = result.got === 'failure' ? 'put' : result.got;
  if (!status) return { outcome, notices, did };
  const { httpStatus, requestId } = result.got === 'failure' ? result.verdict : {};
  const facts = { reason: status.conditions?.[0]?.reason, httpStatus, requestId };
  return { status: merged(object, status), outcome, notices, did, facts };
}

/** The previous status with other common fields, and without a plan: this is not Plan mode. */
function merged(
  object: PipeSettings,
  common: CommonStatus,
  more: Partial<PipeSettingsStatus> = {},
): PipeSettingsStatus {
  return withoutUndefined({ ...object.status, plan: undefined, ...common, ...more });
}

function refuseSpec(object: PipeSettings, problem: string, now: number): Report {
  const { status, outcome, notices } = reportSpecInvalid({
    object,
    previous: object.status,
    problem,
    now,
  });
  if (!status) return { outcome, did: 'nothing' };
  return {
    status: merged(object, status),
    outcome,
    notices,
    did: 'refuse-spec',
    facts: { reason: 'SpecInvalid' },
  };
}

function suspended(confirmed: boolean): KindSummary {
  const reason = 'Suspended';
  if (confirmed) {
    return {
      ready: 'True',
      reason,
      message:
        'No call is made while spec.suspend is true; the declared settings are the ones last confirmed',
    };
  }
  const message =
    'No call is made while spec.suspend is true; the declared settings have not been confirmed. Set spec.suspend to false to send them';
  return { ready: 'False', reason, message };
}

/** A state that answers a one-shot request by itself and schedules nothing. */
function show(
  object: PipeSettings,
  summary: KindSummary,
  now: number,
  did: string,
  more: Partial<PipeSettingsStatus> = {},
): Report {
  const common = commonStatus(object, object.status, { summary, now, acknowledge: true });
  return { status: merged(object, common, more), outcome: awaitChange, did };
}

function yieldTo(
  object: PipeSettings,
  { to, spec }: Extract<Plan, { do: 'yield' }>,
  now: number,
): Report {
  const { status: previous } = object;
  const { kind } = pipeSettingsType;
  const find = `kubectl get pset -A --field-selector spec.pipeId=${spec.pipeId}`;
  const { status, ...rest } = reportConflict({
    object,
    previous,
    what: 'the pipe',
    kind,
    to,
    find,
    now,
  });
  return { status: merged(object, status), ...rest, did: 'yield' };
}

/** Shows to the letter what Apply would send; the time stays while that stays the same. */
function preview(
  object: PipeSettings,
  planned: Extract<Plan, { do: 'preview' }>,
  now: number,
): Report {
  const { status: previous } = object;
  const { spec, request } = planned;
  const reported = reportedBy(previous, planned);
  const changes = plannedChanges(declaredOf(spec), reported);
  const basis = reported === undefined ? 'Unknown' : 'LastResponse';
  const { method, path, body, hash } = request;
  const same = previous?.plan?.hash === hash && previous.plan.basis === basis;
  const plan = {
    time: same ? previous.plan.time : timestamp(now),
    basis,
    hash,
    requests: [{ method, path, body }],
    changes,
  } as const;
  const isSettled = planned.isLast && previous?.lastRequest?.outcome !== 'Unknown';
  const count = request.keys.length;
  const summary = plannedSummary({
    changes: changes.length,
    isEmpty: reported !== undefined && changes.length === 0 && isSettled,
    notSent: `one PUT with ${count} ${count === 1 ? 'setting' : 'settings'}`,
    basis: comparedWith(basis, isSettled),
    planOnly: planned.planOnly,
  });
  return show(object, summary, now, 'preview', {
    plan: { ...plan, requests: [...plan.requests], changes: [...changes] },
  });
}

function comparedWith(basis: 'Unknown' | 'LastResponse', isSettled: boolean): string {
  if (basis === 'Unknown') return 'the values at the API are not known yet';
  if (isSettled) return 'compared with the last response';
  return 'compared with the last response, after which the values may have changed';
}
