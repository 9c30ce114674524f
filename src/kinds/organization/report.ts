import { isDeepStrictEqual } from 'node:util';
import type { Summary } from '../../runtime/conditions.ts';
import { cutText } from '../../runtime/conditions.ts';
import { awaitChange, backOff, goOn, recheckAt } from '../../runtime/outcome.ts';
import { timestamp } from '../canonical.ts';
import { commonStatus } from '../common-status.ts';
import { reportConflict } from '../conflict-report.ts';
import { reportRescheduled, reportSpecInvalid } from '../failure-report.ts';
import type { Result } from './act.ts';
import { LIMITS } from './limits.ts';
import { targetOf } from './load.ts';
import type { MemoReport } from './memo.ts';
import type { Plan } from './plan.ts';
import type { Preview } from './preview.ts';
import { reportStep } from './report-step.ts';
import { type LedgerEntry, type Organization, type OrganizationStatus, organizationType } from './resource.ts';
import { merged } from './underway.ts';
import { names } from './wording.ts';

/** Turns a plan and what came of it into the whole status, the events and the next visit. */
export function report(object: Organization, plan: Plan, result: Result, now: number): MemoReport {
  switch (plan.do) {
    case 'nothing':
      return { outcome: plan.at === undefined ? awaitChange : recheckAt(plan.at), did: 'nothing' };
    case 'reschedule':
      return reportRescheduled(object.status, plan.at);
    case 'refuse-spec':
      return refuseSpec(object, plan, now);
    case 'suspend':
      return show(object, suspended(plan.confirmed), now, 'suspend', {
        ...(plan.inherited && { privateEndpoints: listOrNone(plan.inherited) }),
      });
    case 'yield': {
      const { holder, inherited } = plan;
      const { kind } = organizationType;
      const { status, ...rest } = reportConflict({
        object,
        previous: object.status,
        what: 'the organization',
        kind,
        to: {
          holds: false,
          why: 'held',
          ...(holder.namespace === object.metadata.namespace && { holder }),
        },
        find: `kubectl get organizations.pipewright.dev -A --field-selector spec.organizationId=${targetOf(object) ?? ''}`,
        now,
      });
      return { status: merged(object, { ...status, privateEndpoints: listOrNone(inherited) }), ...rest, did: 'yield' };
    }
    case 'preview':
      return preview(object, plan.preview, now);
    case 'hold':
    case 'release':
    case 'abandon':
      // Whoever was quicker has woken the key already; where nobody was, the next pass must not follow at once.
      if (result.got !== 'finalizers') return { outcome: backOff('the finalizers were not written'), did: 'nothing' };
      return reportFinalizers(object, plan);
    case 'step':
      return reportStep(object, plan, result, now);
  }
}

function refuseSpec(object: Organization, plan: Extract<Plan, { do: 'refuse-spec' }>, now: number): MemoReport {
  const { message: problem, at } = plan;
  const said = reportSpecInvalid({ object, previous: object.status, problem, now });
  const outcome = at === undefined ? said.outcome : recheckAt(at);
  if (!said.status) return { outcome, did: 'nothing' };
  const facts = { reason: 'SpecInvalid' };
  return { status: merged(object, said.status), outcome, notices: said.notices, did: 'refuse-spec', facts };
}

function suspended(confirmed: boolean): Summary {
  const reason = 'Suspended';
  const what = 'No call is made while spec.suspend is true; the declared state';
  if (confirmed) return { ready: 'True', reason, message: `${what} is the one last confirmed` };
  const message = `${what} has not been confirmed. Set spec.suspend to false to send it`;
  return { ready: 'False', reason, message };
}

/** A deleted object without our finalizer is nobody's business here, even where the store has not heard of its end. */
function reportFinalizers(
  object: Organization,
  plan: Extract<Plan, { do: 'hold' | 'release' | 'abandon' }>,
): MemoReport {
  const isOver = object.metadata.deletionTimestamp !== undefined;
  const memo = isOver ? { memo: { letGo: true } as const } : {};
  if (plan.do !== 'abandon') return { outcome: isOver ? awaitChange : goOn, did: plan.do, facts: {}, ...memo };
  const note = `Let go at --cleanup-deadline although the API may still have private endpoints of this object: ${names(plan.left)}. Remove them at the API if they are not wanted`;
  const notices = [{ type: 'Warning', reason: 'CleanupAbandoned', note }] as const;
  return { outcome: awaitChange, notices, did: 'abandon', facts: { abandoned: plan.left.length }, ...memo };
}

/** A state that answers a one-shot request by itself and schedules nothing. */
function show(
  object: Organization,
  summary: Summary,
  now: number,
  did: string,
  more: Partial<OrganizationStatus>,
): MemoReport {
  const common = commonStatus(object, object.status, { summary, now, acknowledge: true });
  return { status: merged(object, { ...common, ...more }), outcome: awaitChange, did };
}

function listOrNone(ledger: readonly LedgerEntry[]): OrganizationStatus['privateEndpoints'] {
  return ledger.length > 0 ? ledger : undefined;
}

/** Shows to the letter what Apply would send; the time stays while that stays the same. */
function preview(object: Organization, { basis, hash, requests, changes, says }: Preview, now: number): MemoReport {
  const { plan: before, lastRequest, applied } = object.status ?? {};
  const shown = {
    basis,
    hash,
    requests: requests.slice(0, LIMITS.planRequests).map((one) => ({ ...one, body: cutText(one.body, LIMITS.body) })),
    changes: changes.slice(0, LIMITS.planChanges),
  };
  const same = before && isDeepStrictEqual({ ...before, time: '' }, { time: '', ...shown });
  const repliedAt = lastRequest?.outcome === 'Succeeded' ? lastRequest.time : applied?.time;
  const known =
    basis === 'Unknown'
      ? 'what the API holds is not known yet'
      : `measured against its reply of ${repliedAt ?? 'before'}`;
  const message = `Not sent: ${says}; ${known}. See status.plan; set spec.mode to Apply to send it`;
  const plan = { time: same ? before.time : timestamp(now), ...shown };
  return show(object, { ready: 'True', reason: 'Planned', message }, now, 'preview', { plan });
}
