import { isDeepStrictEqual } from 'node:util';
import type { Event, Result } from '../../controller/kind.ts';
import { adviceWith, BY_ITSELF, checkIds, grantRole } from '../shared/advice.ts';
import { timestamp } from '../shared/canonical.ts';
import {
  commonStatus,
  countAttempts,
  failureBefore,
  generationOf,
  quoting,
  statusWith,
  withoutStop,
  withoutUndefined,
} from '../shared/common-status.ts';
import { nextAssertionAt } from '../shared/due.ts';
import { type FailureReport, reportFailure, reportNoCall } from '../shared/failure-report.ts';
import { nextWait } from '../shared/failures.ts';
import type { Attempted } from './attempt.ts';
import { otherwiseDescribed } from './differences.ts';
import { counted, names } from './endpoints/wording.ts';
import { changeEvent } from './events.ts';
import type { Goal } from './goal.ts';
import { type Obstacle, obstaclesOf } from './obstacles.ts';
import { declaredKeys, UPDATE_ORGANIZATION } from './remote.ts';
import type { Organization, OrganizationSpec, OrganizationStatus } from './resource.ts';

const ADVICE = adviceWith({
  Rejected: 'Change the spec to what the API accepts',
  Forbidden: grantRole('change the organization (an admin role)'),
  NotFound: checkIds('organizationId'),
  DependencyNotReady: `The API is waiting for another service. ${BY_ITSELF}`,
  Unavailable: `Nothing was changed. ${BY_ITSELF}`,
  OutcomeUnknown:
    'The operator reads from the API whether it took effect before it sends anything again',
});

/** What a report on an attempt is made from. */
export interface Reporting {
  /** As it was when the attempt began: by its status failures are counted. */
  readonly object: Organization;
  readonly spec: OrganizationSpec;
  readonly goal: Goal;
  readonly hash: string;
  readonly settleMs: number;
  readonly now: number;
  /** Whether the attempt is still wanted; if not, what follows is reconciled anew. */
  readonly isWanted: boolean;
}

/** After what may or may not have been persisted. */
const AGAIN_MS = 1_000;

/** The whole status, the events and what follows, of an attempt that has ended. Pure. */
export function report(attempted: Attempted, reporting: Reporting): Result {
  const { draft, end, events, drift } = attempted;
  const { object, now, isWanted } = reporting;
  const { httpStatus, requestId } = draft.lastRequest ?? {};
  const hasCalled = !isDeepStrictEqual(draft.lastRequest, object.status?.lastRequest);
  const said = ended(attempted, reporting);
  const reason = said.status?.conditions?.[0]?.reason;
  return {
    status: statusWith(draft, said.status ?? {}),
    next: end.type === 'stopped' && isWanted ? { at: now + AGAIN_MS } : said.next,
    events: [...events, ...said.events],
    did: end.type === 'failed' ? end.answer.type : end.type,
    ...(hasCalled && { facts: { reason, httpStatus, requestId } }),
    ...(drift > 0 && { counts: { drift } }),
  };
}

type Said = Omit<FailureReport, 'status'> & { readonly status?: Partial<OrganizationStatus> };

function ended(attempted: Attempted, reporting: Reporting): Said {
  const { end } = attempted;
  if (end.type === 'stopped') return { next: 'on-change', events: [] };
  if (end.type === 'failed') return failed(attempted, end, reporting);
  const obstacles = obstaclesOf({ attempted, ...reporting });
  const [foremost] = obstacles;
  if (foremost) return hindered(attempted, obstacles, foremost, reporting);
  return reporting.goal.isCleanup ? { next: 'on-change', events: [] } : applied(attempted, reporting);
}

function failed(
  { draft }: Attempted,
  { answer, hint }: Extract<Attempted['end'], { type: 'failed' }>,
  { object, spec, settleMs, now, goal }: Reporting,
): Said {
  const settlesAt = Date.parse(draft.pendingChange?.time ?? '') + settleMs;
  return reportNoCall({
    object,
    previous: object.status,
    answer,
    operation: UPDATE_ORGANIZATION,
    secretName: spec.credentialsSecretRef.name,
    advice: (reason) => {
      const own = goal.isCleanup && reason === 'Rejected' ? BY_ITSELF : ADVICE[reason];
      return hint === undefined ? own : `${withoutStop(own)}. ${hint}`;
    },
    ...(settlesAt > now && { adjust: () => ({ notAfter: settlesAt }) }),
    now,
  });
}

function hindered(
  attempted: Attempted,
  obstacles: readonly Obstacle[],
  foremost: Obstacle,
  { object, now }: Reporting,
): Said {
  const attempts = countAttempts(object, object.status, foremost.reason);
  const times = obstacles.map(({ reason, atLatest = Number.POSITIVE_INFINITY, atEarliest = 0 }) =>
    Math.max(Math.min(now + nextWait(reason, attempts, object.metadata.uid), atLatest), atEarliest),
  );
  const at = Math.max(Math.min(...times), now + AGAIN_MS);
  const { lastRequest } = attempted.draft;
  const outcome = lastRequest?.outcome === 'Unknown' ? `${withoutStop(lastRequest.message ?? '')}. ` : '';
  const others = obstacles.slice(1).map(({ message }) => `. Also: ${message}`);
  const said = reportFailure({
    object,
    previous: object.status,
    reason: foremost.reason,
    message: outcome + foremost.message + others.join(''),
    now,
    atLeastMs: at - now,
    notAfter: at,
  });
  return { ...said, status: { ...said.status, lastRequest } };
}

function applied(attempted: Attempted, { object, spec, goal, hash, now }: Reporting): Said {
  const { draft, requestId, events } = attempted;
  const time = timestamp(now);
  const nextAttempt = nextAssertionAt(object, spec, Date.parse(time));
  const common = commonStatus(object, object.status, {
    summary: { ready: 'True', reason: 'Applied', message: appliedMessage(attempted, goal) },
    now,
    nextAttempt,
    acknowledge: true,
    lastRequest: draft.lastRequest,
  });
  const record = withoutUndefined({
    time,
    generation: generationOf(object),
    requestId,
    requestHash: hash,
    keys: declaredKeys(goal),
  });
  const failure = events.length === 0 ? failureBefore(object) : undefined;
  const recovery: Event[] =
    failure === undefined ? [] : [changeEvent([], requestId, ` after ${failure}`)];
  return {
    status: { ...common, applied: record },
    next: nextAttempt === undefined ? 'on-change' : { at: nextAttempt },
    events: recovery,
  };
}

function appliedMessage({ draft, list, name, requestId }: Attempted, goal: Goal): string {
  const { endpoints } = goal;
  const what = [
    ...(goal.name === undefined ? [] : ['the declared name']),
    ...(endpoints?.length === 0 ? ['no private endpoint of this object'] : []),
    ...(endpoints && endpoints.length > 0 ? [counted(endpoints.length)] : []),
  ].join(' and ');
  const unnamed = goal.name !== undefined && name === undefined ? '; the response omitted the name' : '';
  const assumed =
    draft.listLeftOutSince === undefined
      ? ''
      : '; the response omits the list of private endpoints, which counts as empty';
  const other = otherwiseDescribed(goal, list?.entries).map(({ endpoint }) => endpoint);
  const described =
    other.length === 0
      ? ''
      : `. The API has another description for ${names(other)} and cannot change it. To replace it, remove the endpoint from the list, wait until it is gone, and list it again; this may interrupt its connections`;
  return `The API has ${what}${unnamed}${assumed}${quoting(requestId)}${described}`;
}

/** The status in the midst of an attempt: what is being sent, and how far it is. */
export function inProgress(
  object: Organization,
  draft: OrganizationStatus,
  goal: Goal,
  now: number,
): OrganizationStatus {
  const { pendingChange, privateEndpoints = [] } = draft;
  const { add = [], remove = [] } = pendingChange ?? {};
  const what = [
    ...(add.length > 0 ? [`add ${counted(add.length)}`] : []),
    ...(remove.length > 0 ? [`remove ${counted(remove.length)}`] : []),
  ].join(', ');
  const there = privateEndpoints.filter(({ state }) => state === 'Present').length;
  const total = goal.listed.size;
  const far = goal.isCleanup ? `${there} left` : `${there} of ${total} private endpoints added`;
  const doing = pendingChange ? `Sending: ${what}` : 'The API refused a change; the list is read next';
  const common = commonStatus(object, object.status, {
    summary: {
      ready: 'Unknown',
      progress: 'Reconciling',
      reason: 'Pending',
      message: `${goal.isCleanup ? 'Being deleted. ' : ''}${doing} (${far})`,
    },
    now,
    attempts: object.status?.attempts,
    acknowledge: true,
    lastRequest: draft.lastRequest,
  });
  return statusWith(draft, common);
}
