import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '../../../api/reply/verdict.ts';
import { awaitChange, goOn } from '../../../controller/outcome.ts';
import { lastRequestOf, withoutUndefined } from '../../status/common-status.ts';
import type { Result } from '../act.ts';
import { intending, leftAt, type Notes } from '../attempt/notes.ts';
import { progress } from '../attempt/progress.ts';
import type { Refusal, Work } from '../attempt/session.ts';
import { LIMITS } from '../limits.ts';
import type { Plan } from '../plan.ts';
import { UPDATE_ORGANIZATION } from '../remote.ts';
import type { Organization, OrganizationStatus } from '../resource.ts';
import { endAttempt, type NotedReport } from './attempt-end.ts';
import { betweenSteps, type Call, ended, goOnFrom, keeping, onRecord } from './between-steps.ts';
import { reportOther } from './failed-step.ts';
import { otherWayToLook } from './look-by-name.ts';

type StepPlan = Extract<Plan, { do: 'step' }>;
type CallResult = Exclude<Result, { got: 'nothing' | 'finalizers' }>;

/**
 * Turns one step and what came of it into the next one, or into the status that ends the attempt.
 */
export function reportStep(
  object: Organization,
  plan: StepPlan,
  result: Result,
  now: number,
): NotedReport {
  const { step } = plan;
  const left = 'leftAt' in result ? result.leftAt : undefined;
  const over = 'answeredAt' in result ? result.answeredAt : undefined;
  const times = {
    ...(left !== undefined && { leftAt: left }),
    ...(over !== undefined && { answeredAt: over }),
  };
  const work = { ...plan.work, notes: afterLeaving(plan, left), ...times };
  if (step.step === 'end') return ended(endAttempt(object, work, now, 'end'));
  if (result.got === 'nothing' || result.got === 'finalizers')
    return { outcome: awaitChange, did: 'nothing' };
  if (step.step === 'intend') {
    if (result.got === 'slot') return reportIntent(object, work, step.pending, now);
    if (result.got === 'success') throw new Error('an intent was put on record by a call');
    return reportOther(object, { work, step }, { attempt: result, now });
  }
  if (result.got === 'success') return reportReply(object, work, { call: step, result, now });
  if (result.got === 'slot') throw new Error('a call that was made has no slot for an answer');
  if (result.got === 'failure') return reportRefusal(object, work, { call: step, result, now });
  return reportOther(object, { work, step }, { attempt: result, now });
}

/** From its first byte on an intent may be at work. */
function afterLeaving({ step, work }: StepPlan, at: number | undefined): Notes {
  return at === undefined || step.step !== 'send'
    ? work.notes
    : leftAt(work.notes, at, work.atWorkMs);
}

/** Written under the version that was read, or not at all; the call follows only from here. */
function reportIntent(
  object: Organization,
  work: Work,
  pending: NonNullable<OrganizationStatus['pendingChange']>,
  now: number,
): NotedReport {
  const { session, plannedAt } = work;
  const status = betweenSteps(object, { ...session.draft, pendingChange: pending }, now);
  const intended = intending(work.notes, object, { pending, at: plannedAt.monotonic });
  const { notes, ...said } = onRecord(object, { session, notes: intended }, status);
  const { open, openUntil, lastRequest } = intended;
  // Where the process ends before it is sent, nobody has to wait for it.
  return {
    ...said,
    // As it stands until the intent is there: where that is refused, what was sent before keeps its
    // time.
    notes: withoutUndefined({ ...notes, open, openUntil, lastRequest }),
    outcome: goOn,
    did: 'intend',
    lastWord: {
      status: betweenSteps(object, session.draft, now),
      notices: [],
      // Where somebody else has looked since, his ledger is newer than the one of this attempt.
      isOnTop: (newer) => {
        const { pendingChange, lastRequest } = (newer as Organization).status ?? {};
        return isDeepStrictEqual([pendingChange, lastRequest], [pending, status.lastRequest]);
      },
    },
    isOnTop: ({ metadata }) => metadata.resourceVersion === object.metadata.resourceVersion,
  };
}

interface Answered<Got> {
  readonly call: Call;
  readonly result: Got;
  readonly now: number;
}

/** HTTP 200 with a result. */
function reportReply(
  object: Organization,
  work: Work,
  { call, result, now }: Answered<Extract<CallResult, { got: 'success' }>>,
): NotedReport {
  const { verdict, secretVersion } = result;
  const { session, ...notes } = progress({ object, work, call, verdict, secretVersion, now });
  return goOnFrom(object, { ...work, notes, session }, { call, now });
}

/** An answer that is no success. */
function reportRefusal(
  object: Organization,
  work: Work,
  { call, result, now }: Answered<Extract<CallResult, { got: 'failure' }>>,
): NotedReport {
  const { verdict } = result;
  const refusal = refusalOf(verdict);
  const { session } = work;
  if (call.step === 'send' && refusal)
    return reportRefused(object, work, { verdict, refusal, now });
  if (call.step === 'send' && verdict.outcome === 'Unknown')
    return reportLost(object, work, verdict, now);
  if (call.step === 'name' && refusal) {
    const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, verdict, now);
    const next = {
      ...session,
      draft: { ...session.draft, lastRequest },
      nameRefusal: refusal,
      isNamed: true as const,
    };
    return goOnFrom(object, { ...work, session: next }, { call, now });
  }
  if (call.step === 'look' && call.by === 'list') return otherWayToLook(object, work, result, now);
  return reportOther(object, { work, step: call }, { attempt: result, now });
}

/** Nobody can tell what became of the change: it stays on record, and looks will show it. */
function reportLost(object: Organization, work: Work, verdict: Failure, now: number): NotedReport {
  const { fresh: _, ...session } = work.session;
  const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, verdict, now);
  const lost = { ...work, session: { ...session, draft: { ...session.draft, lastRequest } } };
  return ended(endAttempt(object, lost, now, 'send'));
}

/** After this, nothing of the change is taken for done, and what is there is looked at. */
function reportRefused(
  object: Organization,
  work: Work,
  {
    verdict,
    refusal,
    now,
  }: { readonly verdict: Failure; readonly refusal: Refusal; readonly now: number },
): NotedReport {
  const { session, notes } = work;
  const { pendingChange } = session.draft;
  if (!pendingChange) throw new Error('a change was answered that is not on record');
  const refused = withoutUndefined({
    httpStatus: refusal.httpStatus,
    requestId: refusal.requestId,
  });
  const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, verdict, now);
  const draft = { ...session.draft, pendingChange: { ...pendingChange, refused }, lastRequest };
  const status = betweenSteps(object, draft, now);
  const { fresh: _, ...rest } = session;
  return {
    status,
    outcome: goOn,
    did: 'send',
    facts: { httpStatus: refusal.httpStatus, requestId: refusal.requestId, refused: true },
    notes: keeping(object, notes, { ...rest, draft: status, refusal }, status),
  };
}

const NO_BLAME = new Set([401, 403, 404, 408, 410, 423, 424, 425, 429]);

/** A 4xx that is about what was sent. */
function refusalOf({ httpStatus, requestId, message }: Failure): Refusal | undefined {
  if (httpStatus === undefined || httpStatus < 400 || httpStatus > 499 || NO_BLAME.has(httpStatus))
    return undefined;
  const text = message.slice(0, LIMITS.refusalText);
  return { httpStatus, ...(requestId !== undefined && { requestId }), message: text };
}
