import type { Notice, Report } from '../../runtime/kind.ts';
import { awaitChange, goOn, recheckAt } from '../../runtime/outcome.ts';
import { canonicalJson, digestOf, timestamp, wholeSecond } from '../canonical.ts';
import { commonStatus, currentReady, generationOf, readyOf, withoutUndefined } from '../common-status.ts';
import { assertionTime } from '../due.ts';
import { parseDuration } from '../duration.ts';
import { reportFailure } from '../failure-report.ts';
import type { Change } from './change.ts';
import { changeNotice, otherwiseDescribed } from './changes.ts';
import type { Memo, MemoReport } from './memo.ts';
import { type Problem, problemsOf } from './problems.ts';
import { withRefusals } from './refusals.ts';
import { declaredKeys } from './remote.ts';
import type { OrganizationReply } from './reply.ts';
import type { OrganizationStatus } from './resource.ts';
import type { Replied } from './settled.ts';
import { fitted } from './size.ts';
import { underway } from './underway.ts';
import { counted, names, requested } from './wording.ts';

/** A reply after which nothing is to be sent at once. */
export interface Conclusion extends Replied {
  readonly reply: OrganizationReply;
  /** All of the status but conditions and what goes with them. */
  readonly status: OrganizationStatus;
  readonly change: Change;
  readonly blocked: boolean;
  readonly memo: Memo;
  readonly notices: readonly Notice[];
  readonly facts: NonNullable<Report['facts']>;
}

/** Says how it stands: confirmed, or the foremost problem with when the operator looks again. */
export function conclude(conclusion: Conclusion): MemoReport {
  const { object, call, work, reply, memo, facts, now } = conclusion;
  const withoutName = call.step === 'send' ? call.pending.name === undefined : call.reads !== 'name';
  const isRenamed = work.goal.name !== undefined && reply.name !== undefined && reply.name !== work.goal.name;
  if (isRenamed && withoutName && !memo.apart?.name) {
    const status = underway(object, conclusion.status, { now, acknowledge: true });
    return { status, outcome: goOn, notices: conclusion.notices, did: call.step, facts, memo };
  }
  const ledger = withRefusals(object, {
    ...conclusion,
    ledger: conclusion.status.privateEndpoints ?? [],
    apart: memo.apart,
  });
  const problems = problemsOf({ ...conclusion, ledger });
  const [foremost] = problems;
  const status = { ...conclusion.status, privateEndpoints: ledger.length > 0 ? ledger : undefined };
  const { apart: _, ...left } = memo;
  if (work.goal.only && !foremost) return { ...cleaned(conclusion, status), memo: left };
  const said = foremost ? failed(conclusion, status, problems, foremost) : applied(conclusion, status);
  return { ...said, did: call.step, memo: left, facts: { ...facts, reason: foremost?.reason ?? 'Applied' } };
}

function failed(
  { object, work, notices, now }: Conclusion,
  status: OrganizationStatus,
  problems: readonly Problem[],
  foremost: Problem,
) {
  const others = problems.slice(1).map(({ message }) => `. Also: ${message}`);
  // What is open is looked at when its class says; only a refused endpoint has a time of its own.
  const times = (status.privateEndpoints ?? []).flatMap(({ lastError, nextAttemptTime }) =>
    lastError === undefined || nextAttemptTime === undefined ? [] : [Date.parse(nextAttemptTime)],
  );
  const failure = reportFailure({
    object,
    previous: object.status,
    reason: foremost.reason,
    message: foremost.message + others.join(''),
    now,
    atLeastMs: foremost.atLeastMs,
    notAfter: Math.min(...times.filter((time) => time > now), work.deadline ?? Number.POSITIVE_INFINITY),
  });
  const { lastRequest } = status;
  return {
    status: fitted(withoutUndefined({ ...status, ...failure.status, lastRequest })),
    outcome: failure.outcome,
    notices: [...notices, ...failure.notices],
  };
}

function applied(
  { object, work, reply, verdict, secretVersion, notices, now }: Conclusion,
  status: OrganizationStatus,
): Pick<Report, 'status' | 'outcome' | 'notices'> {
  const { requestId } = verdict;
  const time = timestamp(now);
  const interval = work.spec.reassertInterval === undefined ? undefined : parseDuration(work.spec.reassertInterval);
  const nextAttempt =
    interval === undefined ? undefined : wholeSecond(assertionTime(Date.parse(time), interval, object.metadata.uid));
  const summary = { ready: 'True', reason: 'Applied', message: appliedMessage(work.goal, reply, requestId) } as const;
  const recovered = currentReady(object, object.status)?.status === 'False' && notices.length === 0;
  const after = ` after ${readyOf(object.status)?.reason ?? 'a failure'}`;
  return {
    status: fitted(
      withoutUndefined({
        ...status,
        ...commonStatus(object, object.status, {
          summary,
          now,
          nextAttempt,
          acknowledge: true,
          lastRequest: status.lastRequest,
        }),
        applied: withoutUndefined({
          time,
          generation: generationOf(object),
          requestId,
          requestHash: work.hash,
          responseHash: digestOf(canonicalJson(verdict.result)),
          secretResourceVersion: secretVersion,
          keys: declaredKeys(work.goal),
        }),
      }),
    ),
    outcome: nextAttempt === undefined ? awaitChange : recheckAt(nextAttempt),
    notices: recovered ? [...notices, changeNotice([], requestId, after)] : notices,
  };
}

/** On deletion: nothing of the object is left at the API; the finalizer is the next step. */
function cleaned({ object, call, facts, notices, now }: Conclusion, status: OrganizationStatus): Report {
  const message = 'The private endpoints that this object added are removed; it is let go';
  const summary = { ready: 'Unknown', progress: 'Reconciling', reason: 'Pending', message } as const;
  const { lastRequest } = status;
  const common = commonStatus(object, object.status, { summary, now, acknowledge: true, lastRequest });
  return { status: withoutUndefined({ ...status, ...common }), outcome: goOn, notices, did: call.step, facts };
}

function appliedMessage(goal: Conclusion['work']['goal'], reply: OrganizationReply, requestId?: string): string {
  const what = [
    ...(goal.name === undefined ? [] : ['the declared name']),
    ...(goal.endpoints
      ? [goal.endpoints.length === 0 ? 'no private endpoint of ours' : counted(goal.endpoints.length)]
      : []),
  ];
  const unsaid = goal.name !== undefined && reply.name === undefined ? '; the reply was silent about the name' : '';
  const unlisted = goal.endpoints && !reply.list ? '; the reply had no list, so that of an earlier reply counts' : '';
  const other = otherwiseDescribed(goal, reply.list);
  const described =
    other.length === 0
      ? ''
      : `. The description of ${names(other)} is another one at the API, which cannot change it: take the endpoint out of the list, wait until it is gone, and list it again, which may cut its connections`;
  return `The API has ${what.join(' and ')}${unsaid}${unlisted}${requested(requestId)}${described}`;
}
