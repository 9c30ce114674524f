import type { Report } from '../../runtime/kind.ts';
import { awaitChange, goOn, recheckAt } from '../../runtime/outcome.ts';
import { canonicalJson, digestOf, timestamp, wholeSecond } from '../canonical.ts';
import { commonStatus, currentReady, generationOf, quoting, readyOf, withoutUndefined } from '../common-status.ts';
import { assertionTime } from '../due.ts';
import { parseDuration } from '../duration.ts';
import { reportFailure } from '../failure-report.ts';
import { changeNotice, otherwiseDescribed } from './changes.ts';
import type { Conclusion, Problem } from './conclusion.ts';
import type { MemoReport } from './memo.ts';
import { problemsOf } from './problems.ts';
import { withRefusals } from './refusals.ts';
import { declaredKeys } from './remote.ts';
import type { OrganizationStatus } from './resource.ts';
import { fitted } from './size.ts';
import { underway } from './underway.ts';
import { counted, names } from './wording.ts';

/** Says how it stands: confirmed, or the foremost problem with when the operator looks again. */
export function conclude(conclusion: Conclusion): MemoReport {
  const { object, call, work, memo, facts, now } = conclusion;
  const did = call?.step ?? 'judge';
  if (isRenamed(conclusion)) {
    const status = underway(object, conclusion.status, { now, acknowledge: true });
    return { status, outcome: goOn, notices: conclusion.notices, did, facts, memo };
  }
  const ledger = withRefusals(object, {
    ...conclusion,
    ledger: conclusion.status.privateEndpoints ?? [],
    apart: memo.apart,
  });
  const problems = problemsOf({ ...conclusion, ledger });
  const [foremost] = problems;
  const status = { ...conclusion.status, privateEndpoints: ledger.length > 0 ? ledger : undefined };
  const { apart: _, readRefused: __, ...left } = memo;
  if (work.goal.only && !foremost) return { ...cleaned(conclusion, status), memo: left };
  const said = foremost ? failed(conclusion, status, problems, foremost) : applied(conclusion, status);
  return { ...said, did, memo: left, facts: { ...facts, reason: foremost?.reason ?? 'Applied' } };
}

/** The name is another one at the API, and this call did not carry the declared one: the next one does. */
function isRenamed({ work: { goal }, call, reply, memo }: Conclusion): boolean {
  if (!call || memo.apart?.name || goal.name === undefined || reply.name === undefined) return false;
  const carried = call.step === 'send' ? call.pending.name !== undefined : call.reads === 'name';
  return !carried && reply.name !== goal.name;
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

function applied(conclusion: Conclusion, status: OrganizationStatus): Pick<Report, 'status' | 'outcome' | 'notices'> {
  const { object, work, verdict, notices, now } = conclusion;
  const { requestId } = verdict ?? {};
  const record = appliedRecord(conclusion, status);
  const interval = work.spec.reassertInterval === undefined ? undefined : parseDuration(work.spec.reassertInterval);
  const from = Date.parse(record.time);
  const nextAttempt =
    interval === undefined ? undefined : wholeSecond(assertionTime(from, interval, object.metadata.uid));
  const summary = { ready: 'True', reason: 'Applied', message: appliedMessage(conclusion) } as const;
  const { lastRequest } = status;
  const common = commonStatus(object, object.status, { summary, now, nextAttempt, acknowledge: true, lastRequest });
  const recovered = currentReady(object, object.status)?.status === 'False' && notices.length === 0;
  const after = ` after ${readyOf(object.status)?.reason ?? 'a failure'}`;
  return {
    status: fitted(withoutUndefined({ ...status, ...common, applied: record })),
    outcome: nextAttempt === undefined ? awaitChange : recheckAt(nextAttempt),
    notices: recovered ? [...notices, changeNotice([], requestId, after)] : notices,
  };
}

/** Where nothing was asked, the last confirmation counts for this generation too. */
function appliedRecord(
  { object, work, verdict, secretVersion, now }: Conclusion,
  status: OrganizationStatus,
): NonNullable<OrganizationStatus['applied']> {
  const declared = { generation: generationOf(object), requestHash: work.hash, keys: declaredKeys(work.goal) };
  if (!verdict) return { time: timestamp(now), ...status.applied, ...declared };
  return withoutUndefined({
    time: timestamp(now),
    requestId: verdict.requestId,
    responseHash: digestOf(canonicalJson(verdict.result)),
    secretResourceVersion: secretVersion,
    ...declared,
  });
}

/** On deletion: nothing of the object is left at the API; the finalizer is the next step. */
function cleaned({ object, call, facts, notices, now }: Conclusion, status: OrganizationStatus): Report {
  const message = 'The private endpoints that this object added are removed; it is let go';
  const summary = { ready: 'Unknown', progress: 'Reconciling', reason: 'Pending', message } as const;
  const { lastRequest } = status;
  const common = commonStatus(object, object.status, { summary, now, acknowledge: true, lastRequest });
  return {
    status: withoutUndefined({ ...status, ...common }),
    outcome: goOn,
    notices,
    did: call?.step ?? 'judge',
    facts,
  };
}

function appliedMessage({ work: { goal, memo }, call, reply, verdict }: Conclusion): string {
  const what = [
    ...(goal.name === undefined ? [] : ['the declared name']),
    ...(goal.endpoints
      ? [goal.endpoints.length === 0 ? 'no private endpoint of ours' : counted(goal.endpoints.length)]
      : []),
  ].join(' and ');
  const asked = verdict ? quoting(verdict.requestId) : '';
  const said = memo.readRefused?.message ?? 'no reply has a list';
  const unasked = call ? '' : ` by its last list; it could not be asked again: ${said}`;
  const unsaid =
    call && goal.name !== undefined && reply.name === undefined ? '; the reply was silent about the name' : '';
  const unlisted = goal.endpoints && !reply.list ? '; the reply had no list, so that of an earlier reply counts' : '';
  const other = otherwiseDescribed(goal, reply.list);
  const described =
    other.length === 0
      ? ''
      : `. The description of ${names(other)} is another one at the API, which cannot change it: take the endpoint out of the list, wait until it is gone, and list it again, which may cut its connections`;
  return `The API has ${what}${unasked}${unsaid}${unlisted}${asked}${described}`;
}
