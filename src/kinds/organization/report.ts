import type { Event, Result } from '../../controller/kind.ts';
import { adviceWith, BY_ITSELF, checkIds, grantRole } from '../shared/advice.ts';
import { reportApplied } from '../shared/applied.ts';
import { quoting, readyOf, statusWith, withoutStop } from '../shared/common-status.ts';
import { type FailureReport, reportFailure, reportNoCall } from '../shared/failure-report.ts';
import type { Attempted, End } from './attempt.ts';
import { counted } from './endpoints/wording.ts';
import type { Goal } from './goal.ts';
import { type Problem, problemOf } from './problem.ts';
import { inProgress } from './progress.ts';
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
}

type Said = Omit<FailureReport, 'status'> & { readonly status?: Partial<OrganizationStatus> };

/** What follows brings itself about. */
const NOTHING: Said = { next: 'on-change', events: [] };

/** The whole status, the events and what follows, of an attempt that has ended. Pure. */
export function report(attempted: Attempted, end: End, reporting: Reporting): Result {
  const { draft, events, drift } = attempted;
  const { status, next, events: more } = ended(attempted, end, reporting);
  const { lastRequest } = draft;
  const hasCalled = lastRequest?.time !== reporting.object.status?.lastRequest?.time;
  const { httpStatus, requestId } = lastRequest ?? {};
  return {
    status: statusWith(draft, { ...status, lastRequest }),
    next,
    events: [...events, ...more],
    did: end.type === 'failed' ? end.answer.type : end.type,
    facts: hasCalled ? { reason: readyOf(status)?.reason, httpStatus, requestId } : undefined,
    counts: drift > 0 ? { drift } : undefined,
  };
}

function ended(attempted: Attempted, end: End, reporting: Reporting): Said {
  if (end.type === 'stopped') return interrupted(attempted, reporting);
  if (end.type === 'failed') return failed(attempted, end, reporting);
  const problem = problemOf(attempted, reporting);
  if (problem) return hindered(attempted, problem, reporting);
  return reporting.goal.isCleanup ? NOTHING : applied(attempted, reporting);
}

/** What it has learned may speak against a Ready that stands there. */
function interrupted({ draft }: Attempted, { object, goal, now }: Reporting): Said {
  if (draft === object.status) return NOTHING;
  return { ...NOTHING, status: inProgress(object, draft, goal, now) };
}

/** Epoch ms; what is over bounds nothing. */
function soonest(now: number, ...times: readonly (number | undefined)[]): number | undefined {
  const ahead = times.filter((time) => time !== undefined && time > now);
  return ahead.length > 0 ? Math.min(...ahead.map(Number)) : undefined;
}

/** A call failed, or could not be made. */
function failed(
  { draft: { pendingChange } }: Attempted,
  { answer, isUnreadable }: Extract<End, { type: 'failed' }>,
  { object, spec, settleMs, now, goal, latest }: Reporting,
): Said {
  const settlesAt = pendingChange && Date.parse(pendingChange.time) + settleMs;
  const notAfter = soonest(now, settlesAt, latest);
  // What was refused is not what spec says.
  const isSpecFine = goal.isCleanup || isUnreadable;
  const advice = isSpecFine ? { ...ADVICE, Rejected: BY_ITSELF } : ADVICE;
  return reportNoCall({
    ...{ object, previous: object.status, answer, now, operation: UPDATE_ORGANIZATION },
    secretName: spec.credentialsSecretRef.name,
    advice: (reason) => (isUnreadable ? `${advice[reason]}. ${DECLARE_NAME}` : advice[reason]),
    adjust: () => (notAfter === undefined ? {} : { notAfter }),
  });
}

const DECLARE_NAME =
  'Declare spec.name to make the list readable: the operator then sends that name, and the response shows the list';

/** Every call worked, and yet the goal is not reached. */
function hindered(
  { draft: { lastRequest } }: Attempted,
  { reason, message, at, isExact }: Problem,
  { object, now, latest }: Reporting,
): Said {
  const notAfter = soonest(now, at, latest);
  const lost =
    lastRequest?.outcome === 'Unknown' ? `${withoutStop(lastRequest.message ?? '')}. ` : '';
  const atLeastMs = isExact && notAfter !== undefined ? notAfter - now : undefined;
  const failure = { object, previous: object.status, reason, message: lost + message, now };
  return reportFailure({ ...failure, notAfter, atLeastMs });
}

function applied(attempted: Attempted, { object, spec, goal, hash, now }: Reporting): Said {
  const { draft, requestId, events } = attempted;
  const { name, privateEndpointsTotal = 'no list of' } = draft.organization ?? {};
  const confirmed = reportApplied({
    ...{ object, spec, requestId, requestHash: hash, now, changed: undefined },
    message: appliedMessage(attempted, goal),
    keys: declaredKeys(goal),
    reported: (key) => (key === 'name' ? JSON.stringify(name) : `${privateEndpointsTotal} entries`),
  });
  // That it works again is said by what happened in this attempt.
  const isNews = ({ reason }: Event) => reason !== 'Applied' || events.length === 0;
  return { ...confirmed, events: confirmed.events.filter(isNews) };
}

function appliedMessage({ draft, name, requestId }: Attempted, goal: Goal): string {
  const { endpoints } = goal;
  const none = 'no private endpoint of this object';
  const what = [
    ...(goal.name === undefined ? [] : ['the declared name']),
    ...(endpoints ? [endpoints.length === 0 ? none : counted(endpoints.length)] : []),
  ].join(' and ');
  const isUnnamed = goal.name !== undefined && name === undefined;
  const isAssumed = draft.listLeftOutSince !== undefined;
  const isOther = draft.differences?.some(({ field }) => field.endsWith('.description'));
  return [
    `The API has ${what}`,
    isUnnamed ? '; the response omitted the name' : '',
    isAssumed ? '; the response omits the list of private endpoints, which counts as empty' : '',
    quoting(requestId),
    isOther ? `. ${OTHER_DESCRIPTION}` : '',
  ].join('');
}

const OTHER_DESCRIPTION =
  'It has other descriptions, see status.differences, and cannot change them. To replace one, remove its endpoint from the list, wait until it is gone, and list it again; this may interrupt its connections';
