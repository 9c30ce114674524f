import type { Event, Result } from '../../controller/kind.ts';
import { reportApplied } from '../shared/applied.ts';
import * as common from '../shared/common-status.ts';
import {
  adviceWith,
  BY_ITSELF,
  checkIds,
  type FailureReport,
  grantRole,
  reportFailure,
  reportNoCall,
} from '../shared/failure-report.ts';
import { counted } from './endpoints.ts';
import { type Goal, isListedIn, isOurs } from './goal.ts';
import { problemOf } from './problem.ts';
import { UPDATE_ORGANIZATION } from './remote.ts';
import type { InventoryEntry, Organization, OrganizationStatus } from './resource.ts';
import type { End, Ended, Known } from './work.ts';

const ADVICE = adviceWith({
  Rejected: 'Change the spec to what the API accepts',
  Forbidden: grantRole('change the organization (an admin role)'),
  NotFound: checkIds('organizationId'),
  DependencyNotReady: `The API is waiting for another service. ${BY_ITSELF}`,
  Unavailable: `Nothing was changed. ${BY_ITSELF}`,
  OutcomeUnknown:
    'The operator reads from the API whether it took effect before it sends anything again',
});
const DECLARE_NAME =
  'Declare spec.name to make the list readable: the operator then sends that name, and the response shows the list';
const OTHER_DESCRIPTION =
  'It has other descriptions, see status.differences, and cannot change them. To replace one, remove its endpoint from the list, wait until it is gone, and list it again; this may interrupt its connections';

type Said = Omit<FailureReport, 'status'> & { readonly status?: Partial<OrganizationStatus> };

/** What follows brings itself about. */
const NOTHING: Said = { next: 'on-change', events: [] };

/** The whole status, the events and what follows, of an attempt that has ended. Pure. */
export function report(known: Known, end: End, work: Ended): Result {
  const { draft, events, drift } = known;
  const { status, next, events: more } = ended(known, end, work);
  const { lastRequest } = draft;
  const hasCalled = lastRequest?.time !== work.began.status?.lastRequest?.time;
  const { httpStatus, requestId } = lastRequest ?? {};
  return {
    status: common.statusWith(draft, { ...status, lastRequest }),
    next,
    events: [...events, ...more],
    did: end.type === 'failed' ? end.answer.type : end.type,
    facts: hasCalled
      ? { reason: common.readyOf(status)?.reason, httpStatus, requestId }
      : undefined,
    counts: drift > 0 ? { drift } : undefined,
  };
}

function ended(known: Known, end: End, work: Ended): Said {
  const { began, goal, now } = work;
  if (end.type === 'failed') return failed(known, end, work);
  if (end.type === 'done')
    return hindered(known, work) ?? (goal.isCleanup ? NOTHING : applied(known, work));
  // What it has learned may speak against a Ready that stands there.
  if (known.draft === began.status) return NOTHING;
  return { ...NOTHING, status: inProgress(began, known.draft, goal, now) };
}

/** The status in the midst of an attempt: what is being sent, and how far it is. */
export function inProgress(
  object: Organization,
  draft: OrganizationStatus,
  goal: Goal,
  now: number,
): OrganizationStatus {
  const { pendingChange, privateEndpoints = [], lastRequest } = draft;
  const { add = [], remove = [] } = pendingChange ?? {};
  const counts = goal.isCleanup ? isOurs : (one: InventoryEntry) => isListedIn(goal, one);
  const there = privateEndpoints.filter((one) => one.state === 'Present' && counts(one)).length;
  const far = goal.isCleanup ? `${there} left` : `${there} of ${counted(goal.listed.size)} there`;
  const doing = pendingChange
    ? `Sending ${counted(add.length)} to add, ${remove.length} to remove`
    : 'In progress';
  const message = `${goal.isCleanup ? 'Being deleted. ' : ''}${doing} (${far})`;
  const progress = { ready: 'Unknown', progress: 'Reconciling', reason: 'Pending' } as const;
  const summary = { ...progress, message };
  const { status } = common.saying(object, { summary, now, attempts: object.status?.attempts });
  return common.statusWith(draft, { ...status, lastRequest });
}

/** Epoch ms; what is over bounds nothing. */
function soonest(now: number, ...times: readonly (number | undefined)[]): number | undefined {
  const ahead = times.filter((time) => time !== undefined && time > now);
  return ahead.length > 0 ? Math.min(...ahead.map(Number)) : undefined;
}

/** A call failed, or could not be made. */
function failed(
  { draft: { pendingChange } }: Known,
  { answer, isUnreadable }: Extract<End, { type: 'failed' }>,
  { began: object, settleMs, now, goal, latest }: Ended,
): Said {
  const settlesAt = pendingChange && Date.parse(pendingChange.time) + settleMs;
  const notAfter = soonest(now, settlesAt, latest);
  // What was refused is not what spec says.
  const isSpecFine = goal.isCleanup || isUnreadable;
  const advice = isSpecFine ? { ...ADVICE, Rejected: BY_ITSELF } : ADVICE;
  return reportNoCall({
    ...{ object, answer, now, operation: UPDATE_ORGANIZATION },
    advice: (reason) => (isUnreadable ? `${advice[reason]}. ${DECLARE_NAME}` : advice[reason]),
    adjust: () => (notAfter === undefined ? {} : { notAfter }),
  });
}

/** Every call worked, and yet the goal is not reached. */
function hindered(known: Known, work: Ended): Said | undefined {
  const problem = problemOf(known, work);
  if (!problem) return undefined;
  const { began: object, now, latest } = work;
  const { outcome, message: said = '' } = known.draft.lastRequest ?? {};
  const message = `${outcome === 'Unknown' ? `${common.withoutStop(said)}. ` : ''}${problem.message}`;
  const notAfter = soonest(now, problem.at, latest);
  const atLeastMs = problem.isExact && notAfter !== undefined ? notAfter - now : undefined;
  const { reason } = problem;
  return reportFailure({ object, reason, message, now, notAfter, atLeastMs });
}

function applied(known: Known, { began: object, spec, goal, hash, now }: Ended): Said {
  const { draft, requestId, events } = known;
  const { name, privateEndpointsTotal = 'no list of' } = draft.organization ?? {};
  const confirmed = reportApplied({
    ...{ object, spec, requestId, requestHash: hash, now, changed: undefined },
    message: appliedMessage(known, goal),
    keys: (['name', 'privateEndpoints'] as const).filter((key) => spec[key] !== undefined),
    reported: (key) => (key === 'name' ? JSON.stringify(name) : `${privateEndpointsTotal} entries`),
  });
  // That it works again is said by what happened in this attempt.
  const isNews = ({ reason }: Event) => reason !== 'Applied' || events.length === 0;
  return { ...confirmed, events: confirmed.events.filter(isNews) };
}

function appliedMessage({ draft, name, requestId }: Known, goal: Goal): string {
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
    common.quoting(requestId),
    isOther ? `. ${OTHER_DESCRIPTION}` : '',
  ].join('');
}
