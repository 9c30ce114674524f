import * as waits from '../../waits.ts';
import type { NoCall } from '../shared/calls.ts';
import { timestamp } from '../shared/canonical.ts';
import { lastRequestOf, quoting, withoutStop } from '../shared/common-status.ts';
import { nextChange, oursIn } from './decide.ts';
import { type Change, tupleOf } from './endpoints.ts';
import { eventsOf, refusedEvent } from './events.ts';
import { learn } from './observation.ts';
import * as remote from './remote.ts';
import { inProgress, report } from './report.ts';
import * as resource from './resource.ts';
import { type End, type Failed, Known, type Setup, type Wish, type Work } from './work.ts';

type OrganizationStatus = resource.OrganizationStatus;
/** Undefined: the attempt goes on. */
type Step = Promise<End | undefined>;

const DONE: End = { type: 'done' };
const STOPPED: End = { type: 'stopped' };

/**
 * One attempt: observe, settle, decide, name, pending change, send, settle, until nothing is left.
 *
 * Guarantees: an add or a removal leaves only after a reply of this attempt, at most 30 s old, has
 * shown that it is needed, and after the pending change is persisted. Whatever ends the attempt,
 * the status says what may have been done; nothing else outlives it.
 * Assumes: a permit in hand, or `none` says why not; one attempt for an organization at a time in
 * this process.
 */
export async function attempt(setup: Setup, wish: Wish, none?: NoCall) {
  const { began, context, priority } = wish;
  const work = { ...setup, ...wish };
  const { status = {} } = began;
  const known = new Known(priority === 'user' ? dueNow(status, context.now()) : status);
  let end = none && failed(none);
  while (!end) end = await step(work, known);
  return report(known, end, { ...work, now: context.now() });
}

/**
 * With another `--api-url`, what was ours there can be neither seen nor removed here. Asked once
 * that API has answered: for example, an address with a slip in it loses nobody what is theirs.
 */
function ofThisApi(status: OrganizationStatus, apiHash: string) {
  if (!status.verified || status.verified.apiHash === apiHash) return { draft: status };
  const asFound = (entry: resource.InventoryEntry) =>
    ({ ...tupleOf(entry), origin: 'Found', state: 'Present' }) as const;
  const privateEndpoints = status.privateEndpoints?.filter(({ origin }) => origin).map(asFound);
  const gone = { verified: undefined, applied: undefined, organization: undefined };
  const unsettled = { pendingChange: undefined, listLeftOutSince: undefined };
  const draft = { ...status, ...gone, ...unsettled, privateEndpoints };
  return { draft, events: eventsOf('relocated', oursIn(status)) };
}

/** A person wants it now: what was sent in vain does not wait for its own time. */
function dueNow(status: OrganizationStatus, now: number): OrganizationStatus {
  const nextAttemptTime = timestamp(now);
  const privateEndpoints = status.privateEndpoints?.map((entry) =>
    entry.attempts === undefined ? entry : { ...entry, nextAttemptTime },
  );
  return { ...status, privateEndpoints };
}

function failed(answer: Failed, isUnreadable = false): End {
  return answer.type === 'not-wanted' ? STOPPED : { type: 'failed', answer, isUnreadable };
}

async function step(work: Work, known: Known): Step {
  const { stillWanted, ways, goal, context } = work;
  if (!stillWanted()) return STOPPED;
  const decision = known.decide(goal, context.now());
  // An observation that sends the name is not made either while too much would be removed.
  const mayObserve = !decision.blocked || ways.nameToObserveBy(goal) === undefined;
  if (known.observedAt === undefined && mayObserve) return observe(work, known);
  // Nothing else is sent until a list shows all of a lost change, or its time is over.
  if (known.draft.pendingChange || decision.blocked) return DONE;
  if (decision.name !== undefined && !known.isNamed) return sendName(work, known, decision.name);
  if (known.refusalsInRow >= waits.MOST_REFUSALS) return DONE;
  const change = nextChange(decision, known.oneByOne || ways.isOneByOne);
  return change ? sendChange(work, known, change) : DONE;
}

/** By the request that changes nothing; where the API takes none, by the declared name. */
async function observe(work: Work, known: Known): Step {
  const { ways, goal } = work;
  const name = ways.nameToObserveBy(goal);
  const isByName = name !== undefined;
  const answer = await send(work, known, { type: 'observe', name });
  if (answer.type === 'success') {
    if (!isByName) ways.forget();
    known.observations += 1;
    known.isNamed ||= isByName;
    return undefined;
  }
  if (answer.type !== 'failure') return failed(answer);
  if (isByName) ways.forget();
  const way = isByName ? 'again' : ways.notObserved(answer.verdict, goal);
  return way === 'by-name' ? undefined : failed(answer, way === 'none');
}

async function sendName(work: Work, known: Known, name: string): Step {
  const answer = await send(work, known, { type: 'name', name });
  known.isNamed = true;
  known.nameRefusal = answer.type === 'failure' ? remote.refusalOf(answer.verdict) : undefined;
  return answer.type === 'success' || known.nameRefusal ? undefined : failed(answer);
}

/** If the process dies after the first byte, the pending change says what may be there. */
async function sendChange(work: Work, known: Known, wanted: Change): Step {
  const { context, ways, calls } = work;
  const object = context.object();
  const needsFinalizer = resource.mayRemove(object) && !resource.hasFinalizer(object);
  if (needsFinalizer && !(await context.finalizer(resource.FINALIZER, true))) return STOPPED;
  // Before the change is persisted: after that it leaves at once.
  const none = await calls.permit();
  if (none) return failed(none);
  if (isOld(work, known)) return observe(work, known);
  const writtenAt = context.now();
  const [add, remove] = [wanted.add.map(tupleOf), wanted.remove.map(tupleOf)];
  const change = { time: timestamp(writtenAt), add, remove };
  if (!(await persist(work, known, { ...known.draft, pendingChange: change }))) return STOPPED;
  const isTooLate = () => context.now() - writtenAt > waits.CHANGE_LEAVES_MS;
  const answer = await send(work, known, { type: 'change', change }, isTooLate);
  if (answer.type !== 'success') return afterFailure(work, known, change, answer);
  known.refusalsInRow = 0;
  ways.changeEnded(200);
  return undefined;
}

/** What was observed long ago, or before a pause of the key, is no ground for a change. */
function isOld({ context, calls }: Work, { observations, observedAt = 0 }: Known): boolean {
  // With a call in many minutes each one grows old, and yet something must be sent in the end.
  if (observations >= waits.MOST_OBSERVATIONS) return false;
  return context.now() - observedAt > waits.OBSERVATION_LASTS_MS || calls.pausedSince(observedAt);
}

async function afterFailure(work: Work, known: Known, change: Change, answer: Failed): Step {
  const { context, ways } = work;
  const isOfSeveral = change.add.length + change.remove.length > 1;
  const verdict = answer.type === 'failure' ? answer.verdict : undefined;
  if (verdict?.outcome === 'Unknown') {
    if (isOfSeveral) ways.changeEnded(verdict.httpStatus);
    return failed(answer);
  }
  known.draft = { ...known.draft, pendingChange: undefined };
  const refusal = verdict && remote.refusalOf(verdict);
  if (!refusal) return failed(answer);
  known.oneByOne = true;
  if (isOfSeveral) {
    const said = `${withoutStop(refusal.message)}${quoting(refusal.requestId)}`;
    known.events = [...known.events, refusedEvent(change, said)];
    known.observedAt = undefined;
  } else {
    known.draft = remote.markRefused(known.draft, change, refusal, context);
    known.refusalsInRow += 1;
  }
  // Before any further call: for example, if the process restarted now, the change would read as
  // lost, and what a refused add finds would count as ours.
  return (await persist(work, known, known.draft)) ? undefined : STOPPED;
}

/** False: it is not known to stand. The draft carries a pending change only once it does. */
async function persist({ context, goal }: Work, known: Known, draft: OrganizationStatus) {
  const isSaved = await context.save(inProgress(context.object(), draft, goal, context.now()));
  if (isSaved) known.draft = draft;
  return isSaved;
}

/** Makes one call, and takes in what it shows. */
async function send(work: Work, known: Known, request: remote.Request, isTooLate = () => false) {
  const { calls, stillWanted, context, kind, goal } = work;
  const { segments } = remote.addressOf(kind.api.baseUrl, goal);
  const none = await calls.permit();
  if (none) return none;
  const call = remote.callOf(request, segments, goal);
  const answer = await calls.send(call, () => !stillWanted() || isTooLate());
  if (answer.type !== 'success' && answer.type !== 'failure') return answer;
  const now = context.now();
  const lastRequest = lastRequestOf(remote.UPDATE_ORGANIZATION, answer.verdict, now);
  known.draft = { ...known.draft, lastRequest };
  if (answer.type === 'failure') return answer;
  const { draft, events = [] } = ofThisApi(known.draft, work.apiHash);
  known.draft = draft;
  known.events = [...known.events, ...events];
  learn(known, work, { ...answer, request, now });
  return answer;
}
