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
import { type Goal, isListedIn, isOurs } from './decide.ts';
import { counted } from './endpoints.ts';
import { problemOf } from './problem.ts';
import { addressOf, UPDATE_ORGANIZATION as operation } from './remote.ts';
import type { InventoryEntry, Organization, OrganizationStatus } from './resource.ts';
import type { End, Ended, Known } from './work.ts';

const ADVICE = adviceWith({
  Rejected: 'Change the spec to what the API accepts',
  Forbidden: grantRole('change the organization (an admin role)'),
  NotFound: checkIds('organizationId'),
  DependencyNotReady: `The API is waiting for another service. ${BY_ITSELF}`,
  OutcomeUnknown: 'The operator reads whether it took effect before it sends anything again',
});
const DECLARE_NAME = 'Declare spec.name to make the list readable: the response to it has the list';

type Said = Omit<FailureReport, 'status'> & { readonly status?: Partial<OrganizationStatus> };

const NOTHING: Said = { next: 'on-change', events: [] };

/** The whole status, the events and what follows, of an attempt that has ended. Pure. */
export function report(known: Known, end: End, work: Ended) {
  const { draft, events, drift } = known;
  const { status, next, events: more } = ended(known, end, work);
  const { lastRequest } = draft;
  const hasCalled = lastRequest?.time !== work.began.status?.lastRequest?.time;
  const { httpStatus, requestId } = lastRequest ?? {};
  const facts = { reason: common.readyOf(status)?.reason, httpStatus, requestId };
  return {
    status: common.statusWith(draft, { ...status, lastRequest }),
    next,
    events: [...events, ...more],
    did: end.type === 'failed' ? end.answer.type : end.type,
    facts: hasCalled ? facts : undefined,
    counts: drift > 0 ? { drift } : undefined,
  } satisfies Result;
}

function ended(known: Known, end: End, work: Ended): Said {
  const { began, goal, now } = work;
  if (end.type === 'failed') return failed(known, end, work);
  if (end.type === 'done')
    return hindered(known, work) ?? (goal.isCleanup ? NOTHING : applied(known, work));
  // What a call has shown may speak against a Ready that stands there.
  if (known.draft.lastRequest === began.status?.lastRequest) return NOTHING;
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
  const progress = `${there} of ${counted(goal.listed.size)} added`;
  const far = goal.isCleanup ? `being deleted, ${there} left` : progress;
  const sending = `Sending ${counted(add.length)} to add, ${remove.length} to remove`;
  const message = `${pendingChange ? sending : 'In progress'} (${far})`;
  const goesOn = { ready: 'Unknown', progress: 'Reconciling', reason: 'Pending' } as const;
  // An edit starts anew.
  const attempts = common.currentReady(object) && object.status?.attempts;
  const { status } = common.saying(object, { summary: { ...goesOn, message }, now, attempts });
  return common.statusWith(draft, { ...status, lastRequest });
}

function failed(
  { draft: { pendingChange } }: Known,
  { answer, isUnreadable }: Extract<End, { type: 'failed' }>,
  { began: object, settleMs, now, goal }: Ended,
): Said {
  const settlesAt = pendingChange ? Date.parse(pendingChange.time) + settleMs : 0;
  // What was refused is not what spec says.
  const isSpecFine = goal.isCleanup || isUnreadable;
  const advice = isSpecFine ? { ...ADVICE, Rejected: BY_ITSELF } : ADVICE;
  return reportNoCall({
    object,
    answer,
    now,
    operation,
    advice: (reason) => (isUnreadable ? `${advice[reason]}. ${DECLARE_NAME}` : advice[reason]),
    // What is over bounds nothing.
    adjust: () => (settlesAt > now ? { notAfter: settlesAt } : {}),
  });
}

function hindered(known: Known, work: Ended): Said | undefined {
  const problem = problemOf(known, work);
  if (!problem) return undefined;
  const { began: object, now } = work;
  const { outcome, message: said = '' } = known.draft.lastRequest ?? {};
  const lost = outcome === 'Unknown' ? `${common.withoutStop(said)}. ` : '';
  const { reason, at = 0 } = problem;
  const message = lost + problem.message;
  const notAfter = at > now ? at : undefined;
  const atLeastMs = reason === 'Rejected' ? at - now : 0;
  return reportFailure({ object, reason, message, now, notAfter, atLeastMs });
}

function applied(known: Known, { began: object, goal, kind, now }: Ended): Said {
  const { draft, requestId } = known;
  const { name, privateEndpointsTotal = 'no list of' } = draft.organization ?? {};
  const confirmed = reportApplied({
    object,
    spec: goal,
    message: appliedMessage(known, goal),
    requestId,
    requestHash: addressOf(kind.api.baseUrl, goal).hash,
    keys: (['name', 'privateEndpoints'] as const).filter((key) => goal[key] !== undefined),
    changed: undefined,
    reported: (key) => (key === 'name' ? JSON.stringify(name) : `${privateEndpointsTotal} entries`),
    now,
  });
  // That it works again is said by what happened in this attempt.
  const isNews = ({ reason }: Event) => reason !== 'Applied' || known.events.length === 0;
  return { ...confirmed, events: confirmed.events.filter(isNews) };
}

function appliedMessage({ draft, requestId }: Known, goal: Goal): string {
  const { length } = goal.declared;
  const listed =
    length > 0 ? `the ${counted(length)} of spec` : 'no private endpoint of this object';
  const what = [
    ...(goal.name === undefined ? [] : ['the declared name']),
    ...(goal.privateEndpoints ? [listed] : []),
  ].join(' and ');
  const omitted = draft.notReported?.join(' and ');
  const but = omitted ? `; the response omitted ${omitted}` : '';
  return `The API has ${what}${but}${common.quoting(requestId)}`;
}
