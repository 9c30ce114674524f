import { isDeepStrictEqual } from 'node:util';
import type { Failure } from '../../api/errors.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { awaitChange, goOn, recheckAt } from '../../runtime/outcome.ts';
import { currentReady, lastRequestOf, withoutUndefined } from '../common-status.ts';
import type { Attempt } from '../attempt.ts';
import { type FailureReport, reportAttempt } from '../failure-report.ts';
import type { Result } from './act.ts';
import { conclude, type NotedReport } from './conclude.ts';
import { isOurs } from './goal.ts';
import { Listing, tupleOf } from './endpoints.ts';
import { LIMITS } from './limits.ts';
import { nextStep, type Step, type Work } from './next-step.ts';
import { progress } from './progress.ts';
import type { Plan } from './plan.ts';
import { LOOK_BODY, UPDATE_ORGANIZATION } from './remote.ts';
import type { Organization, OrganizationStatus } from './resource.ts';
import { anchorOf, type Notes, openIn, type Refusal, type Session } from './session.ts';
import { merged, underway } from './underway.ts';
import { advise, withoutStop } from './wording.ts';

type StepPlan = Extract<Plan, { do: 'step' }>;
type Call = Extract<Step, { step: 'look' | 'name' | 'send' }>;
type CallResult = Exclude<Result, { got: 'nothing' | 'finalizers' }>;
/** Every end of a step but success. */
type Unmade = Exclude<Attempt, { got: 'success' }>;

/** Turns one step and what came of it into the next one, or into the status that ends the attempt. */
export function reportStep(object: Organization, plan: StepPlan, result: Result, now: number): NotedReport {
  const { step } = plan;
  const work = { ...plan.work, notes: afterLeaving(plan, result) };
  if (step.step === 'conclude') return ended(object, conclude(object, work, now, 'conclude'));
  if (result.got === 'nothing' || result.got === 'finalizers') return { outcome: awaitChange, did: 'nothing' };
  if (step.step === 'intend') {
    if (result.got === 'slot') return reportIntent(object, work, step.pending, now);
    if (result.got === 'success') throw new Error('an intent was put on record by a call');
    return reportOther(object, { ...plan, work }, result, now);
  }
  if (result.got === 'success') return reportReply(object, work, { call: step, result, now });
  if (result.got === 'slot') throw new Error('a call that was made has no slot for an answer');
  if (result.got === 'failure') return reportRefusal(object, { ...plan, work }, { call: step, result, now });
  return reportOther(object, { ...plan, work }, result, now);
}

/** From its first byte on an intent may be at work. */
function afterLeaving({ step, work }: StepPlan, result: Result): Notes {
  const leftAt = 'leftAt' in result ? result.leftAt : undefined;
  if (leftAt === undefined || step.step !== 'send') return work.notes;
  const { unsent: _, ...notes } = work.notes;
  return { ...notes, settlesAt: leftAt + work.atWorkMs, looks: 0 };
}

/** Written under the version that was read, or not at all; the call follows only from here. */
function reportIntent(
  object: Organization,
  { session, notes, plannedAt }: Work,
  pending: NonNullable<OrganizationStatus['pendingChange']>,
  now: number,
): NotedReport {
  const status = underway(object, { ...session.draft, plan: undefined, pendingChange: pending }, now);
  const noted = { ...notes, unsent: { pending, at: plannedAt.monotonic } };
  return {
    status,
    outcome: goOn,
    notices: session.notices,
    did: 'intend',
    isOnTop: ({ metadata }) => metadata.resourceVersion === object.metadata.resourceVersion,
    notes: keeping(object, noted, { ...session, draft: status, notices: [] }, status),
  };
}

/** A session that goes on from the status that is written now, or that stands. */
function keeping(
  object: Organization,
  notes: Notes,
  session: Session,
  status: OrganizationStatus | undefined = object.status,
): Notes {
  return { ...notes, open: openIn(status), session: { ...session, anchor: anchorOf(object, status) } };
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
  const noted = withLookByName(notes, work, call);
  return goOnFrom(object, { ...work, notes: noted, session }, { call, now });
}

/** The declared name has shown the list where two empty lists did not: it is the look for an hour. */
function withLookByName(notes: Notes, { plannedAt }: Work, call: Call): Notes {
  if (call.step !== 'look' || call.by !== 'name') return notes;
  return { ...notes, lookByNameUntil: notes.lookByNameUntil ?? plannedAt.monotonic + HOUR };
}

const HOUR = 3_600_000;

function goOnFrom(object: Organization, work: Work, { call, now }: { readonly call: Call; readonly now: number }): NotedReport {
  const { session, notes } = work;
  const next = nextStep(work);
  if (next.step === 'conclude') return ended(object, conclude(object, work, now, call.step));
  const did = call.step;
  // Another name that somebody gave it is on record before it is overwritten.
  const isDrift = next.step === 'name' && !isDeepStrictEqual(session.draft.drift, object.status?.drift);
  if (!isDrift) return { outcome: goOn, did, notes: keeping(object, notes, session) };
  const status = underway(object, session.draft, now);
  return {
    status,
    outcome: goOn,
    notices: session.notices,
    did,
    isOnTop: isUntouched(object),
    notes: keeping(object, notes, { ...session, draft: status, notices: [] }, status),
  };
}

/** The last word of an attempt. It goes on top of a newer version only where nobody else has recorded anything. */
function ended(object: Organization, report: NotedReport): NotedReport {
  const { notes } = report;
  if (!report.status) return report;
  const status: OrganizationStatus = report.status;
  return { ...report, isOnTop: isUntouched(object), ...(notes && { notes: { ...notes, open: openIn(status) } }) };
}

/** Only the user has changed the object: the status is the one that the attempt began with, its own intent included. */
function isUntouched(object: Organization): (newer: KubeObject) => boolean {
  return ({ status }) => isDeepStrictEqual(status, object.status);
}

/** An answer that is no success. */
function reportRefusal(
  object: Organization,
  plan: StepPlan,
  { call, result, now }: Answered<Extract<CallResult, { got: 'failure' }>>,
): NotedReport {
  const { verdict } = result;
  const refusal = refusalOf(verdict);
  const { work } = plan;
  const { session } = work;
  if (call.step === 'send' && refusal) return reportRefused(object, work, { verdict, refusal, now });
  if (call.step === 'send' && verdict.outcome === 'Unknown') return reportLost(object, work, verdict, now);
  if (call.step === 'name' && refusal) {
    const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, verdict, now);
    const next = { ...session, draft: { ...session.draft, lastRequest }, nameRefusal: refusal, isNamed: true as const };
    return goOnFrom(object, { ...work, session: next }, { call, now });
  }
  if (call.step === 'look' && call.by === 'list') {
    const instead = otherWayToLook(object, plan, verdict, now);
    if (instead) return instead;
  }
  return reportOther(object, plan, result, now);
}

/** Nobody can tell what became of the change: it stays on record, and looks will show it. */
function reportLost(object: Organization, work: Work, verdict: Failure, now: number): NotedReport {
  const { fresh: _, ...session } = work.session;
  const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, verdict, now);
  const lost = { ...work, session: { ...session, draft: { ...session.draft, lastRequest } } };
  return ended(object, conclude(object, lost, now, 'send'));
}

/** After this, nothing of the change is taken for done, and what is there is looked at. */
function reportRefused(
  object: Organization,
  work: Work,
  { verdict, refusal, now }: { readonly verdict: Failure; readonly refusal: Refusal; readonly now: number },
): NotedReport {
  const { session, notes } = work;
  const { pendingChange } = session.draft;
  if (!pendingChange) throw new Error('a change was answered that is not on record');
  const refused = withoutUndefined({ httpStatus: refusal.httpStatus, requestId: refusal.requestId });
  const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, verdict, now);
  const draft = { ...session.draft, pendingChange: { ...pendingChange, refused }, lastRequest };
  const status = underway(object, draft, now);
  const { fresh: _, ...rest } = session;
  return {
    status,
    outcome: goOn,
    did: 'send',
    facts: { httpStatus: refusal.httpStatus, requestId: refusal.requestId, refused: true },
    isOnTop: isUntouched(object),
    notes: keeping(object, notes, { ...rest, draft: status, refusal }, status),
  };
}

const LOOK: Call = { step: 'look', by: 'list', body: LOOK_BODY };

/** Looks in a row that failed with 5xx before another way to look is tried. */
const MOST_FAILED_LOOKS = 3;
const LOOK_REFUSALS = new Set([400, 405, 422]);

/** The declared name shows the list too. On deletion without one, what is ours goes unseen. */
function otherWayToLook(object: Organization, plan: StepPlan, verdict: Failure, now: number): NotedReport | undefined {
  const { work } = plan;
  const { goal, session, notes, plannedAt } = work;
  const { httpStatus = 0 } = verdict;
  const isRefused = LOOK_REFUSALS.has(httpStatus);
  const failedLooks = httpStatus >= 500 && httpStatus <= 599 ? notes.failedLooks + 1 : 0;
  if (!isRefused && failedLooks < MOST_FAILED_LOOKS) {
    return reportOther(object, { ...plan, work: { ...work, notes: { ...notes, failedLooks } } }, { got: 'failure', verdict }, now);
  }
  const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, verdict, now);
  const next = { ...session, draft: { ...session.draft, lastRequest } };
  const noted = { ...notes, failedLooks };
  if (goal.name !== undefined) {
    const byName = { ...noted, lookByNameUntil: plannedAt.monotonic + HOUR };
    return goOnFrom(object, { ...work, notes: byName, session: next }, { call: LOOK, now });
  }
  if (goal.spared && isRefused) return reportUnseen(object, { ...work, notes: noted, session: next }, now);
  const advice = 'Declaring spec.name makes the list readable: the name is then sent as it is and the response shows the list';
  return reportOther(object, { ...plan, work: { ...work, notes: noted } }, { got: 'failure', verdict }, now, advice);
}

/** Nobody can look, so all that is ours counts as there, and what was sent as over once it can no longer be at work. */
function reportUnseen(object: Organization, work: Work, now: number): NotedReport {
  const { session, notes, plannedAt } = work;
  const ours = (session.draft.privateEndpoints ?? []).filter(isOurs).map(tupleOf);
  const isSettled = plannedAt.monotonic >= notes.settlesAt;
  const { pendingChange, ...rest } = session.draft;
  const isOpen = pendingChange !== undefined && !isSettled && !pendingChange.refused;
  const privateEndpoints = rest.privateEndpoints?.map((entry) =>
    isSettled && isOurs(entry) ? { ...entry, state: 'Present' as const } : entry,
  );
  const draft = { ...rest, ...(privateEndpoints && { privateEndpoints }), ...(isOpen && { pendingChange }) };
  const { monotonic } = plannedAt;
  const fresh = { list: new Listing(ours), isAssumed: true, responseHash: '', secretVersion: '', at: monotonic } as const;
  return goOnFrom(object, { ...work, session: { ...session, draft, fresh } }, { call: LOOK, now });
}

/** No slot, no key, called off, or a failure that says nothing about the change: the attempt is over. */
function reportOther(
  object: Organization,
  { work, step }: StepPlan,
  attempt: Unmade,
  now: number,
  advice?: string,
): NotedReport {
  const { session, deadline } = work;
  const did = attempt.got === 'failure' ? step.step : attempt.got;
  const isWaiting = attempt.got === 'no-slot' && step.step !== 'send';
  if (isWaiting) return { outcome: awaitChange, did, notes: keeping(object, work.notes, session) };
  // What is Ready stays so behind a closed gate; the pacer wakes it when the gate opens.
  if (attempt.got === 'gated' && currentReady(object, object.status)?.status === 'True') {
    return { outcome: awaitChange, did };
  }
  const { notes, notAfter } = afterFailure(work, step, 'verdict' in attempt ? attempt.verdict : undefined, now);
  const latest = Math.min(deadline ?? Number.POSITIVE_INFINITY, notAfter);
  const { status, outcome, notices } = reportAttempt({
    object,
    previous: object.status,
    attempt,
    operation: UPDATE_ORGANIZATION,
    secretName: work.spec.credentialsSecretRef.name,
    advice: (reason) => (advice === undefined ? advise(reason) : `${withoutStop(advise(reason))}. ${advice}`),
    ...(latest < Number.POSITIVE_INFINITY && { adjust: () => ({ notAfter: Math.max(latest, now) }) }),
    now,
  });
  return failedAttempt(object, work, { status, outcome: notes.isGone ? goOn : outcome, notices, notes, step, did });
}

function failedAttempt(
  object: Organization,
  work: Work,
  said: Omit<FailureReport, 'status'> & {
    readonly status: FailureReport['status'] | undefined;
    readonly notes: Notes;
    readonly step: Step;
    readonly did: string;
  },
): NotedReport {
  const { session, deadline } = work;
  const { status, outcome, notes, step, did } = said;
  // An intent that never left, or whose answer says that nothing happened, is on record no more.
  const isOver = step.step === 'send';
  if (!status && !isOver) {
    const late = deadline !== undefined && outcome.next === 'await-change' ? recheckAt(deadline) : outcome;
    return { outcome: late, notices: said.notices, did, notes };
  }
  const written = merged(object, { ...session.draft, ...status, ...(isOver && { pendingChange: undefined }) });
  const { httpStatus, requestId } = status?.lastRequest ?? {};
  const facts = { reason: status?.conditions?.[0]?.reason, httpStatus, requestId };
  return ended(object, { status: written, outcome, notices: [...session.notices, ...said.notices], did, facts, notes });
}

/** What this process remembers of a failure, and the latest time of the next attempt where that matters. */
function afterFailure(
  { goal, plannedAt, atWorkMs, notes: before }: Work,
  step: Step,
  verdict: Failure | undefined,
  now: number,
): { readonly notes: Notes; readonly notAfter: number } {
  const { session: _, missingSince, isGone: __, lookByNameUntil, lostName, ...rest } = before;
  const byName = step.step === 'name' || (step.step === 'look' && step.by === 'name');
  const isNameLost = byName && verdict?.outcome === 'Unknown' && goal.name !== undefined;
  const lost = isNameLost ? { name: goal.name, settlesAt: plannedAt.monotonic + atWorkMs } : lostName;
  const notes: Notes = {
    ...rest,
    ...(step.step === 'look' && step.by === 'list' && lookByNameUntil !== undefined && { lookByNameUntil }),
    ...(lost && { lostName: lost }),
  };
  if (goal.spared === undefined || verdict?.failure !== 'NotFound') return { notes, notAfter: Number.POSITIVE_INFINITY };
  const since = missingSince ?? plannedAt.monotonic;
  const left = since + GONE_AFTER_MS - plannedAt.monotonic;
  if (left > 0) return { notes: { ...notes, missingSince: since }, notAfter: now + left };
  return { notes: { ...notes, missingSince: since, isGone: true }, notAfter: Number.POSITIVE_INFINITY };
}

/** Two answers of 404 or 410 so far apart say that the organization is gone. */
const GONE_AFTER_MS = 3 * 60_000;

const NO_BLAME = new Set([401, 403, 404, 408, 410, 423, 424, 425, 429]);

/** A 4xx that is about what was sent. */
function refusalOf({ httpStatus, requestId, message }: Failure): Refusal | undefined {
  if (httpStatus === undefined || httpStatus < 400 || httpStatus > 499 || NO_BLAME.has(httpStatus)) return undefined;
  const text = message.slice(0, LIMITS.refusalText);
  return { httpStatus, ...(requestId !== undefined && { requestId }), message: text };
}
