import type { Failure } from '../../api/errors.ts';
import { cutText } from '../../runtime/conditions.ts';
import { awaitChange, goOn, recheckAt } from '../../runtime/outcome.ts';
import type { Attempt } from '../attempt.ts';
import { currentReady, generationOf, lastRequestOf } from '../common-status.ts';
import { reportAttempt } from '../failure-report.ts';
import type { Result } from './act.ts';
import { afterRefusal, type Refusal } from './apart.ts';
import { GONE } from './cleanup.ts';
import type { Call } from './conclusion.ts';
import { reportJudged, reportWaiting } from './judged.ts';
import { withoutRefusals } from './ledger.ts';
import { LIMITS } from './limits.ts';
import { identityOf, type Memo, type MemoReport } from './memo.ts';
import type { Plan } from './plan.ts';
import { UPDATE_ORGANIZATION } from './remote.ts';
import type { Organization, OrganizationStatus } from './resource.ts';
import { reportReply } from './settled.ts';
import { merged, underway } from './underway.ts';
import { advise } from './wording.ts';
import { isConfirmed, type Work } from './work.ts';

/** What a step came to: the reply's meaning, or the failure's, and what follows. */
export function reportStep(
  object: Organization,
  plan: Extract<Plan, { do: 'step' }>,
  result: Result,
  now: number,
): MemoReport {
  if (plan.step === 'judge') return reportJudged(object, plan, now);
  if (plan.step === 'wait') return reportWaiting(object, plan.at, now);
  if (result.got === 'nothing' || result.got === 'finalizers') return { outcome: awaitChange, did: 'nothing' };
  if (result.got === 'slot')
    return plan.step === 'intend' ? reportIntent(object, plan, now) : { outcome: goOn, did: 'nothing' };
  return reportCall(object, plan, result, now);
}

function reportCall(
  object: Organization,
  plan: Extract<Plan, { do: 'step'; step: 'intend' | 'read' | 'send' }>,
  result: Attempt,
  now: number,
): MemoReport {
  const { work } = plan;
  if (result.got === 'success' && plan.step !== 'intend')
    return reportReply({ object, call: plan, ...result, work, now });
  if (result.got === 'success') return { outcome: awaitChange, did: 'nothing' };
  if (result.got === 'failure' && plan.step !== 'intend') {
    const refusal = refusalOf(result.verdict);
    const memo = refusal && memoAfterRefusal(object, plan, refusal);
    if (memo) return goOnApart(object, plan, result.verdict, { memo, now });
  }
  // What is Ready stays so behind a closed gate; the pacer wakes it when the gate opens.
  if (result.got === 'gated' && isReady(object) && isConfirmed(object, work.hash)) {
    return { outcome: awaitChange, did: 'gated' };
  }
  return reportOther(object, plan, result, now);
}

function reportIntent(
  object: Organization,
  plan: Extract<Plan, { do: 'step' }> & { step: 'intend' },
  now: number,
): MemoReport {
  const { pending, ledger, work, apart } = plan;
  const { refusal: _, ...memo } = work.memo;
  const status: OrganizationStatus = {
    ...object.status,
    plan: undefined,
    pendingChange: pending,
    privateEndpoints: ledger.length > 0 ? ledger : undefined,
  };
  return {
    status: underway(object, status, { now, acknowledge: false, intent: pending }),
    outcome: goOn,
    did: 'intend',
    memo: {
      ...memo,
      ...(apart && { apart }),
      unsent: { change: identityOf(pending), generation: generationOf(object) },
    },
  };
}

/** What is done next where the API refused: undefined where the refusal is the end of the attempt. */
function memoAfterRefusal(
  object: Organization,
  plan: Call & { readonly work: Work },
  refusal: Refusal,
): Memo | undefined {
  const { memo, goal } = plan.work;
  const { unsent: _, ...rest } = memo;
  const { httpStatus } = refusal;
  const generation = generationOf(object);
  if (plan.step === 'send') {
    if (!TAKEN_APART.has(httpStatus)) return undefined;
    return { ...rest, refusal, apart: afterRefusal(memo.apart, plan.pending, refusal, generation) };
  }
  if (httpStatus !== 400 && httpStatus !== 422) return undefined;
  if (plan.reads === 'list') return { ...memo, readRefused: refusal };
  return goal.endpoints && { ...memo, apart: { refused: [], ...memo.apart, generation, name: refusal } };
}

/** Replies to a change of endpoints that may be the fault of one of them. */
const TAKEN_APART: ReadonlySet<number> = new Set([400, 404, 409, 410, 422]);

function goOnApart(
  object: Organization,
  plan: Call & { readonly work: Work },
  verdict: Failure,
  { memo, now }: { readonly memo: Memo; readonly now: number },
): MemoReport {
  const { httpStatus, requestId } = verdict;
  const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, verdict, now);
  const status = { ...object.status, lastRequest, privateEndpoints: stillRefused(object, plan.work) };
  return {
    status: underway(object, status, { now, acknowledge: true }),
    outcome: goOn,
    did: plan.step,
    facts: { httpStatus, requestId, refused: true },
    memo,
  };
}

function reportOther(
  object: Organization,
  plan: Extract<Plan, { do: 'step' }>,
  attempt: Parameters<typeof reportAttempt>[0]['attempt'],
  now: number,
): MemoReport {
  const { work, step } = plan;
  const { deadline } = work;
  const { status, outcome, notices } = reportAttempt({
    object,
    previous: object.status,
    attempt,
    operation: UPDATE_ORGANIZATION,
    secretName: work.spec.credentialsSecretRef.name,
    advice: advise,
    ...(deadline !== undefined && { adjust: () => ({ notAfter: Math.max(deadline, now) }) }),
    now,
  });
  const did = attempt.got === 'failure' ? step : attempt.got;
  const left = attempt.got === 'failure' && step === 'send' ? { memo: memoAfterSend(work.memo, attempt.verdict) } : {};
  if (!status) {
    const isLate = deadline !== undefined && outcome.next === 'await-change' && deadline > now;
    return { outcome: isLate ? recheckAt(deadline) : outcome, notices, did, ...left };
  }
  const { httpStatus, requestId } = attempt.got === 'failure' ? attempt.verdict : {};
  const facts = { reason: status.conditions?.[0]?.reason, httpStatus, requestId };
  const privateEndpoints = stillRefused(object, work);
  const isGone = deadline !== undefined && facts.reason === 'NotFound' && (status.attempts ?? 0) >= GONE;
  const next = isGone ? goOn : outcome;
  return { status: merged(object, { ...status, privateEndpoints }), outcome: next, notices, did, facts, ...left };
}

/** What did not reach the API has not left; what it answered with 4xx had no effect; of anything else nobody knows. */
function memoAfterSend(before: Memo, verdict: Failure): Memo {
  const { unsent, refusal: _, ...rest } = before;
  if (verdict.outcome === 'Unavailable') return { ...rest, ...(unsent && { unsent }) };
  const refusal = refusalOf(verdict);
  return { ...rest, ...(refusal && { refusal }) };
}

/** The ledger without refusals that the user wants tried again: so it is done even where this attempt came to nothing. */
function stillRefused(
  { status }: Organization,
  { plannedAt, retryRefused }: Work,
): OrganizationStatus['privateEndpoints'] {
  const ledger = status?.privateEndpoints ?? [];
  const left = retryRefused ? withoutRefusals(ledger, { now: plannedAt, all: true }) : ledger;
  return left.length > 0 ? left : undefined;
}

/** A reply of 4xx, but for 408, says that the request had no effect. */
function refusalOf({ httpStatus, requestId, message }: Failure): Refusal | undefined {
  if (httpStatus === undefined || httpStatus < 400 || httpStatus > 499 || httpStatus === 408) return undefined;
  return { httpStatus, ...(requestId !== undefined && { requestId }), message: cutText(message, LIMITS.ledgerMessage) };
}

function isReady(object: Organization): boolean {
  return currentReady(object, object.status)?.status === 'True';
}
