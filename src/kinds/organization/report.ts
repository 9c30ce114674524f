import type { Event, Result } from '../../controller/kind.ts';
import { adviceWith, BY_ITSELF, checkIds, grantRole } from '../shared/advice.ts';
import { reportApplied } from '../shared/applied.ts';
import {
  commonStatus,
  countAttempts,
  quoting,
  statusWith,
  withoutStop,
} from '../shared/common-status.ts';
import { type FailureReport, reportFailure, reportNoCall } from '../shared/failure-report.ts';
import { nextWait } from '../shared/failures.ts';
import { counted } from './endpoints/wording.ts';
import type { Goal } from './goal.ts';
import type { Attempted, End } from './known.ts';
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
  /** Epoch ms: the next attempt is made at the latest. */
  readonly latest?: number | undefined;
  /** The attempt is still wanted; if not, the object is reconciled anew. */
  readonly isWanted: boolean;
}

/** After what may or may not have been persisted. */
const AGAIN_MS = 1_000;

/** The whole status, the events and what follows, of an attempt that has ended. Pure. */
export function report(attempted: Attempted, reporting: Reporting): Result {
  const { draft, end, events, drift } = attempted;
  const { object, now, isWanted } = reporting;
  const said = ended(attempted, reporting);
  const hasCalled = draft.lastRequest?.time !== object.status?.lastRequest?.time;
  const { httpStatus, requestId } = draft.lastRequest ?? {};
  const reason = said.status?.conditions?.[0]?.reason;
  return {
    status: statusWith(draft, { ...said.status, lastRequest: draft.lastRequest }),
    next: end.type === 'stopped' && isWanted ? { at: now + AGAIN_MS } : said.next,
    events: [...events, ...said.events],
    did: end.type === 'failed' ? end.answer.type : end.type,
    ...(hasCalled && { facts: { reason, httpStatus, requestId } }),
    ...(drift > 0 && { counts: { drift } }),
  };
}

type Said = Omit<FailureReport, 'status'> & { readonly status?: Partial<OrganizationStatus> };

const NOTHING: Said = { next: 'on-change', events: [] };

function ended(attempted: Attempted, reporting: Reporting): Said {
  const { end } = attempted;
  if (end.type === 'stopped') return NOTHING;
  if (end.type === 'failed') return failed(attempted, end, reporting);
  const obstacles = obstaclesOf({ ...attempted, ...reporting });
  const [foremost] = obstacles;
  if (foremost) return hindered(attempted, obstacles, foremost, reporting);
  return reporting.goal.isCleanup ? NOTHING : applied(attempted, reporting);
}

/** A call failed, or could not be made. */
function failed(
  { draft: { pendingChange } }: Attempted,
  { answer, hint }: Extract<End, { type: 'failed' }>,
  { object, spec, settleMs, now, goal, latest = Number.POSITIVE_INFINITY }: Reporting,
): Said {
  const settlesAt = pendingChange ? Date.parse(pendingChange.time) + settleMs : latest;
  const notAfter = Math.max(Math.min(settlesAt, latest), now + AGAIN_MS);
  return reportNoCall({
    object,
    previous: object.status,
    answer,
    operation: UPDATE_ORGANIZATION,
    secretName: spec.credentialsSecretRef.name,
    advice: (reason) => {
      const own = goal.isCleanup && reason === 'Rejected' ? BY_ITSELF : ADVICE[reason];
      return hint === undefined ? own : `${own}. ${hint}`;
    },
    adjust: () => ({ notAfter }),
    now,
  });
}

/** Every call worked, and yet the goal is not reached. */
function hindered(
  { draft: { lastRequest } }: Attempted,
  obstacles: readonly Obstacle[],
  foremost: Obstacle,
  { object, now, latest = Number.POSITIVE_INFINITY }: Reporting,
): Said {
  const attempts = countAttempts(object, object.status, foremost.reason);
  const times = obstacles.map(({ reason, atLatest = latest, atEarliest = 0 }) => {
    const at = now + nextWait(reason, attempts, object.metadata.uid);
    return Math.max(Math.min(at, atLatest), atEarliest);
  });
  const notAfter = Math.max(Math.min(...times, latest), now + AGAIN_MS);
  const lost = lastRequest?.outcome === 'Unknown' ? (lastRequest.message ?? '') : '';
  const said = obstacles.map(({ message }) => message).join('. Also: ');
  return reportFailure({
    object,
    previous: object.status,
    reason: foremost.reason,
    message: lost === '' ? said : `${withoutStop(lost)}. ${said}`,
    now,
    atLeastMs: notAfter - now,
    notAfter,
  });
}

function applied(attempted: Attempted, { object, spec, goal, hash, now }: Reporting): Said {
  const { draft, requestId, events } = attempted;
  const { name, privateEndpointsTotal = 'no list of' } = draft.organization ?? {};
  const confirmed = reportApplied({
    ...{ object, spec, requestId, requestHash: hash, now },
    message: appliedMessage(attempted, goal),
    keys: declaredKeys(goal),
    changed: undefined,
    reported: (key) => (key === 'name' ? JSON.stringify(name) : `${privateEndpointsTotal} entries`),
  });
  // What happened in this attempt says it too.
  const isSaid = events.length > 0;
  return isSaid ? { ...confirmed, events: confirmed.events.filter(isOfSpec) } : confirmed;
}

function isOfSpec({ reason }: Event): boolean {
  return reason !== 'Applied';
}

function appliedMessage({ draft, name, requestId }: Attempted, goal: Goal): string {
  const { endpoints } = goal;
  const endpointText =
    endpoints?.length === 0
      ? 'no private endpoint of this object'
      : counted(endpoints?.length ?? 0);
  const what = [
    ...(goal.name === undefined ? [] : ['the declared name']),
    ...(endpoints ? [endpointText] : []),
  ].join(' and ');
  const isUnnamed = goal.name !== undefined && name === undefined;
  const isAssumed = draft.listLeftOutSince !== undefined;
  const isOther = draft.differences?.some(({ field }) => field.endsWith('.description'));
  return [
    `The API has ${what}`,
    isUnnamed ? '; the response omitted the name' : '',
    isAssumed ? '; the response omits the list of private endpoints, which counts as empty' : '',
    quoting(requestId),
    isOther
      ? '. It has other descriptions, see status.differences, and cannot change them. To replace one, remove its endpoint from the list, wait until it is gone, and list it again; this may interrupt its connections'
      : '',
  ].join('');
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
  const there = privateEndpoints.filter(({ state }) => state === 'Present').length;
  const far = goal.isCleanup ? `${there} left` : `${there} of ${counted(goal.listed.size)} there`;
  const doing = pendingChange
    ? `Sending ${counted(add.length)} to add, ${remove.length} to remove`
    : 'The API refused a change, and the rest follows';
  const message = `${goal.isCleanup ? 'Being deleted. ' : ''}${doing} (${far})`;
  const common = commonStatus(object, object.status, {
    summary: { ready: 'Unknown', progress: 'Reconciling', reason: 'Pending', message },
    now,
    attempts: object.status?.attempts,
    acknowledge: true,
  });
  return statusWith(draft, { ...common, lastRequest: draft.lastRequest });
}
