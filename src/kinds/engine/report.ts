import { isDeepStrictEqual } from 'node:util';
import type { Report } from '../../controller/kind.ts';
import { awaitChange, recheckAt } from '../../controller/outcome.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { timestamp, wholeSecond } from '../status/canonical.ts';
import { type CommonStatus, commonStatus, withoutUndefined } from '../status/common-status.ts';
import { reportConflict } from '../target/conflict-report.ts';
import {
  type AttemptToReport,
  type FailureReport,
  reportAttempt,
  reportSpecInvalid,
} from './failure-report.ts';
import type { CommonPlan } from './plan.ts';

/** The report on a plan that makes no call. */
export function reportCommon(object: KubeObject, plan: CommonPlan, now: number): Report {
  const previous = object.status as CommonStatus | undefined;
  switch (plan.do) {
    case 'nothing':
      return { outcome: plan.at === undefined ? awaitChange : recheckAt(plan.at), did: plan.do };
    case 'reschedule': {
      const at = wholeSecond(plan.at);
      const status = { ...previous, nextAttemptTime: timestamp(at) };
      return { status, outcome: recheckAt(at), did: plan.do };
    }
    case 'refuse-spec': {
      const refused = reportSpecInvalid({ object, previous, problem: plan.message, now });
      return asReport(object, refused, refused.status ? plan.do : 'nothing');
    }
    case 'suspend':
    case 'keep': {
      const { summary } = plan;
      const common = commonStatus(object, previous, { summary, now, acknowledge: true });
      return { status: statusWith(previous, common), outcome: awaitChange, did: plan.do };
    }
    case 'preview': {
      const { summary } = plan;
      const { plan: before } = (previous ?? {}) as { readonly plan?: { readonly time: string } };
      // The time stays while what it is about stays.
      const isSame = isDeepStrictEqual(before, { ...plan.plan, time: before?.time });
      const time = isSame ? before?.time : timestamp(now);
      const common = commonStatus(object, previous, { summary, now, acknowledge: true });
      const shown = { ...common, plan: { time, ...plan.plan } };
      return { status: statusWith<object>(previous, shown), outcome: awaitChange, did: plan.do };
    }
    case 'yield': {
      const { to, contested } = plan;
      return asReport(object, reportConflict({ object, previous, to, contested, now }), plan.do);
    }
  }
}

export interface FailedCall extends AttemptToReport {
  /** One word for a call that was made. */
  readonly did: string;
  /**
   * What the status shows as Ready holds without this call: behind an open circuit breaker it stays
   * as it is, and the limiter wakes the object when the breaker closes.
   */
  readonly staysReady: boolean;
}

/** The report on a call that did not succeed, or was not made. */
export function reportFailedCall(failed: FailedCall): Report {
  const { object, attempt, staysReady } = failed;
  if (attempt.got === 'circuit-open' && staysReady)
    return { outcome: awaitChange, did: attempt.got };
  const failure = reportAttempt(failed);
  if (!('verdict' in attempt)) return asReport(object, failure, attempt.got);
  const { httpStatus, requestId } = attempt.verdict;
  return asReport(object, failure, failed.did, { httpStatus, requestId });
}

/** Puts the common half of a report on top of what the status says besides. */
function asReport(
  object: KubeObject,
  { status, outcome, notices }: FailureReport,
  did: string,
  facts: Report['facts'] = {},
): Report {
  if (!status) return { outcome, notices, did };
  const reason = status.conditions?.[0]?.reason;
  return {
    status: statusWith<CommonStatus>(object.status ?? {}, status),
    outcome,
    notices,
    did,
    facts: { reason, ...facts },
  };
}

/** A status with these fields in place of its own; a plan is only for who is in Plan. */
export function statusWith<Status extends object>(
  status: Status | undefined,
  fields: Partial<NoInfer<Status>>,
): Status {
  return withoutUndefined<object>({ ...status, plan: undefined, ...fields }) as Status;
}
