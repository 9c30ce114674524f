import type { Counts, Report } from '../../../controller/kind.ts';
import { awaitChange, goOn, recheckAt } from '../../../controller/outcome.ts';
import { reportFailure } from '../../engine/failure-report.ts';
import { timestamp, wholeSecond } from '../../status/canonical.ts';
import {
  commonStatus,
  countAttempts,
  failureBefore,
  generationOf,
  quoting,
  withoutUndefined,
} from '../../status/common-status.ts';
import { nextAssertionAt } from '../../status/due.ts';
import { nextWait } from '../../status/failures.ts';
import { keptAs, otherwiseDescribed } from '../attempt/differences.ts';
import { changeNotice } from '../attempt/history.ts';
import { decisionOf, looksByName } from '../attempt/next-step.ts';
import { type Notes, settlingAt, withOpen } from '../attempt/notes.ts';
import type { Session, Work } from '../attempt/session.ts';
import { counted, names } from '../endpoints/wording.ts';
import { nextOf, openEntries, secondLooks } from '../ledger/times.ts';
import { declaredKeys } from '../remote.ts';
import type { Organization, OrganizationStatus } from '../resource.ts';
import { type Obstacle, obstaclesOf } from './readiness.ts';
import { fitted } from './size.ts';

/** A report, and what this process has to remember with it. */
export interface NotedReport extends Report {
  readonly notes?: Notes;
  /** From a deleted object: it is gone with that. */
  readonly finalizerRemoved?: true;
}

/** Counted with the status that tells of it. */
export function driftCount({ drift }: Session): Counts {
  return drift > 0 ? { drift } : {};
}

type Said = Pick<Report, 'outcome' | 'notices'> & { readonly status: OrganizationStatus };

/** The end of an attempt: confirmed, or the foremost problem with when the operator looks again. */
export function endAttempt(
  object: Organization,
  work: Work,
  now: number,
  did: string,
): NotedReport {
  const { session, notes } = work;
  const problems = obstaclesOf({ work, decision: decisionOf(work), now });
  const [foremost] = problems;
  const said = foremost
    ? failed(object, work, { problems, foremost, now })
    : work.goal.isCleanup
      ? cleaned(object, work, now)
      : applied(object, work, now);
  const { httpStatus, requestId } = session.draft.lastRequest ?? {};
  const facts = {
    httpStatus,
    requestId,
    reason: foremost?.reason ?? 'Applied',
  };
  return {
    ...said,
    notices: [...session.notices, ...(said.notices ?? [])],
    did,
    facts,
    counts: driftCount(session),
    notes: withOpen(notes, said.status),
  };
}

function failed(
  object: Organization,
  work: Work,
  {
    problems,
    foremost,
    now,
  }: { readonly problems: readonly Obstacle[]; readonly foremost: Obstacle; readonly now: number },
): Said {
  const { session, deadline } = work;
  const { status: previous } = object;
  // All obstacles share one count of attempts: or those behind the foremost would each wait as if
  // for the first time.
  const attempts = countAttempts(object, previous, foremost.reason);
  const times = problems.map(
    ({ at, atLatest = Number.POSITIVE_INFINITY, reason }) =>
      at ?? Math.min(now + nextWait(reason, attempts, object.metadata.uid), atLatest),
  );
  const at = Math.min(...times, deadline ?? Number.POSITIVE_INFINITY);
  const others = problems.slice(1).map(({ message }) => `. Also: ${message}`);
  const failure = reportFailure({
    object,
    previous,
    reason: foremost.reason,
    message: foremost.message + others.join(''),
    now,
    atLeastMs: at - now,
    notAfter: at,
    side: foremost.side,
  });
  const { lastRequest } = session.draft;
  const status = { ...session.draft, ...failure.status, lastRequest };
  const isStill = foremost.reason === 'RemovalBlocked' && looksByName(work);
  return {
    status: fitted(withoutUndefined(isStill ? { ...status, nextAttemptTime: undefined } : status)),
    outcome: isStill ? awaitChange : failure.outcome,
    notices: failure.notices,
  };
}

function applied(object: Organization, work: Work, now: number): Said {
  const { session, spec } = work;
  const record = appliedRecord(object, work, now);
  const assertionAt = nextAssertionAt(object, spec, Date.parse(record.time));
  const looksAt = nextOf(looksDue(work, now), now) ?? Number.POSITIVE_INFINITY;
  const at = Math.min(assertionAt ?? Number.POSITIVE_INFINITY, looksAt);
  const nextAttempt = at === Number.POSITIVE_INFINITY ? undefined : at;
  const summary = { ready: 'True', reason: 'Applied', message: appliedMessage(work) } as const;
  const { lastRequest } = session.draft;
  const common = commonStatus(object, object.status, {
    summary,
    now,
    nextAttempt,
    acknowledge: true,
    lastRequest,
  });
  const failure = session.notices.length === 0 ? failureBefore(object) : undefined;
  return {
    status: fitted(withoutUndefined({ ...session.draft, ...common, applied: record })),
    outcome: nextAttempt === undefined ? awaitChange : recheckAt(nextAttempt),
    notices:
      failure === undefined
        ? []
        : [changeNotice([], session.fresh?.requestId, ` after ${failure}`)],
  };
}

/**
 * Epoch ms: when what is not as it should be yet is looked at again. For what another process left
 * open, that is later than the time that stands there.
 */
function looksDue({ session, notes, decidedAt }: Work, now: number): number[] {
  const ledger = session.draft.privateEndpoints;
  const open = openEntries(ledger).map((entry) =>
    wholeSecond(now + settlingAt(notes.atWork, entry) - decidedAt.monotonic),
  );
  return [...secondLooks(ledger), ...open];
}

/** Throws where nothing was answered: nothing is confirmed by that. */
function appliedRecord(
  object: Organization,
  { session: { fresh }, hash, goal }: Work,
  now: number,
): NonNullable<OrganizationStatus['applied']> {
  if (!fresh) throw new Error('an attempt without a reply cannot have confirmed anything');
  return withoutUndefined({
    time: timestamp(now),
    generation: generationOf(object),
    requestId: fresh.requestId,
    requestHash: hash,
    responseHash: fresh.responseHash,
    secretResourceVersion: fresh.secretVersion,
    keys: declaredKeys(goal),
  });
}

/** On deletion: nothing of the object is left at the API; the finalizer is the next step. */
function cleaned(object: Organization, { session }: Work, now: number): Said {
  const message = 'Private endpoints removed; deleting this object';
  return { status: pendingStatus(object, session.draft, message, now), outcome: goOn };
}

/** The status while it is not decided yet; the next step follows at once. */
export function pendingStatus(
  object: Organization,
  status: OrganizationStatus,
  message: string,
  now: number,
): OrganizationStatus {
  const common = commonStatus(object, object.status, {
    summary: { ready: 'Unknown', progress: 'Reconciling', reason: 'Pending', message },
    now,
    acknowledge: true,
    lastRequest: status.lastRequest,
  });
  return fitted(withoutUndefined({ ...status, ...common }));
}

function appliedMessage({ goal, session }: Work): string {
  const { fresh, draft } = session;
  const what = [
    ...(goal.name === undefined ? [] : ['the declared name']),
    ...(goal.endpoints
      ? [
          goal.endpoints.length === 0
            ? 'no private endpoint of this object'
            : counted(goal.endpoints.length),
        ]
      : []),
  ].join(' and ');
  const unnamed =
    goal.name !== undefined && fresh?.name === undefined ? '; the response omitted the name' : '';
  const assumed = fresh?.isAssumed
    ? '; the response omits the list of private endpoints, which counts as empty'
    : '';
  const other = otherwiseDescribed(goal, fresh?.list?.entries, draft).map(
    ({ endpoint }) => endpoint,
  );
  const described =
    other.length === 0 || !draft.differences
      ? ''
      : `. The API has another description for ${names(other)} and cannot change it. To replace it, remove the endpoint from the list, wait until it is gone, and list it again; this may interrupt its connections`;
  // What is told of an endpoint stays while it is ours, also when it is listed as the API keeps it.
  const isAltered = goal.endpoints?.some((endpoint) => keptAs(endpoint, draft));
  const altered = isAltered
    ? '. The API stores some of them with other fields than declared, see status.differences'
    : '';
  return `The API has ${what}${unnamed}${assumed}${quoting(fresh?.requestId)}${altered}${described}`;
}
