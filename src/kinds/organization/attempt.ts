import type { Context, Event } from '../../controller/kind.ts';
import * as waits from '../../waits.ts';
import type { Answer, Calls, NoCall } from '../shared/calls.ts';
import { timestamp } from '../shared/canonical.ts';
import { lastRequestOf, quoting, withoutStop } from '../shared/common-status.ts';
import { type Change, type Decision, decide, nextChange } from './decide.ts';
import { type Listing, tupleOf } from './endpoints/endpoints.ts';
import { refusedEvent } from './events.ts';
import type { Goal } from './goal.ts';
import { type Known, learn, type Request } from './observation.ts';
import { inProgress } from './progress.ts';
import { markRefused, type Refusal, refusalOf } from './refusal.ts';
import * as remote from './remote.ts';
import {
  FINALIZER,
  hasFinalizer,
  type Organization,
  type OrganizationStatus,
  type PendingChange,
} from './resource.ts';
import type { Ways } from './ways.ts';

/** What one attempt is made with. */
export interface AttemptOptions {
  readonly context: Context<Organization>;
  readonly calls: Calls;
  readonly goal: Goal;
  /** Path segments of the organization. */
  readonly segments: readonly string[];
  readonly apiHash: string;
  /** So long after it was written a change may still be carried out. */
  readonly settleMs: number;
  /** `deletionPolicy: RemovePrivateEndpoints`: the finalizer goes on before the first change. */
  readonly mayRemove: boolean;
  readonly ways: Ways;
  /** Nobody has changed what is wanted, and no deadline has passed. */
  readonly stillWanted: () => boolean;
}

type Failed = NoCall | Exclude<Answer, { type: 'success' }>;

/** How an attempt ended. */
export type End =
  /** Nothing is left that could be asked or sent now; what is known says how it stands. */
  | { readonly type: 'done' }
  /** It is not wanted any more, or what has to be persisted is not known to be. */
  | { readonly type: 'stopped' }
  /** `isUnreadable`: the API takes no request that shows the list. */
  | { readonly type: 'failed'; readonly answer: Failed; readonly isUnreadable: boolean };

const DONE: End = { type: 'done' };
const STOPPED: End = { type: 'stopped' };

/**
 * One attempt: observe, settle, decide, name, pending change, send, settle, until nothing is left.
 *
 * Guarantees: an add or a removal leaves only after a reply of this attempt, at most 30 s old, has
 * shown that it is needed, and after the pending change is persisted. Whatever ends the attempt,
 * the draft says what may have been done; nothing else outlives it.
 * Assumes: a permit in hand; one attempt for an organization at a time in this process.
 */
export class Attempt implements Known {
  draft: OrganizationStatus;
  list: Listing | undefined;
  name: string | undefined;
  observedAt: number | undefined;
  requestId: string | undefined;
  events: readonly Event[];
  drift = 0;
  nameRefusal: Refusal | undefined;
  refusalsInRow = 0;
  readonly #with: AttemptOptions;
  #hasPermit = true;
  #observations = 0;
  #isNamed = false;
  /** Something was refused: each endpoint goes by itself. */
  #oneByOne: boolean;

  constructor(options: AttemptOptions, draft: OrganizationStatus, events: readonly Event[] = []) {
    this.#with = options;
    this.draft = draft;
    this.events = events;
    const hasRefused = draft.privateEndpoints?.some(({ lastError }) => lastError);
    this.#oneByOne = options.ways.isOneByOne || hasRefused === true;
  }

  /** `none`: there was no permit to begin with. */
  async run(none?: NoCall): Promise<End> {
    let end = none && failed(none);
    while (!end) end = await this.#step();
    return end;
  }

  decide(): Decision {
    const { goal, context } = this.#with;
    const { list, name, draft, observedAt } = this;
    // What was due when the list was asked for: a lost change may land until the answer.
    const now = observedAt ?? context.now();
    return decide({ goal, inventory: draft.privateEndpoints ?? [], list, name, now });
  }

  async #step(): Promise<End | undefined> {
    const { stillWanted, ways, goal } = this.#with;
    if (!stillWanted()) return STOPPED;
    const decision = this.decide();
    // An observation that sends the name is not made either while too much would be removed.
    const mayObserve = !decision.blocked || ways.nameToObserveBy(goal) === undefined;
    if (this.observedAt === undefined && mayObserve) return this.#observe();
    // Nothing else is sent until a list shows all of a lost change, or its time is over.
    if (this.draft.pendingChange || decision.blocked) return DONE;
    if (decision.name !== undefined && !this.#isNamed) return this.#sendName(decision.name);
    if (this.refusalsInRow >= waits.MOST_REFUSALS) return DONE;
    const change = nextChange(decision, this.#oneByOne);
    return change ? this.#sendChange(change) : DONE;
  }

  /** By the request that changes nothing; where the API takes none, by the declared name. */
  async #observe(): Promise<End | undefined> {
    const { ways, goal } = this.#with;
    const name = ways.nameToObserveBy(goal);
    const refused = await this.#permit();
    if (refused) return refused;
    const body = name === undefined ? remote.OBSERVE_BODY : remote.nameBody(name);
    const answer = await this.#send(body, { type: 'observe', name }, name !== undefined);
    if (answer.type === 'success') {
      this.#observations += 1;
      this.#isNamed ||= name !== undefined;
      if (name === undefined) ways.forget();
      return undefined;
    }
    if (name !== undefined) ways.forget();
    if (name !== undefined || answer.type !== 'failure') return failed(answer);
    const way = ways.notObserved(answer.verdict, goal);
    return way === 'by-name' ? undefined : failed(answer, way === 'none');
  }

  async #sendName(name: string): Promise<End | undefined> {
    const refused = await this.#permit();
    if (refused) return refused;
    const answer = await this.#send(remote.nameBody(name), { type: 'name', name });
    this.#isNamed = true;
    this.nameRefusal = answer.type === 'failure' ? refusalOf(answer.verdict) : undefined;
    return answer.type === 'success' || this.nameRefusal ? undefined : failed(answer);
  }

  /**
   * The pending change stands before the first byte leaves: if the process dies after that, the
   * next attempt knows what may be there.
   */
  async #sendChange(change: Change): Promise<End | undefined> {
    const { context, mayRemove, goal, ways } = this.#with;
    const needsFinalizer = mayRemove && !hasFinalizer(context.object());
    if (needsFinalizer && !(await context.finalizer(FINALIZER, true))) return STOPPED;
    const refused = await this.#permit();
    if (refused) return refused;
    if (this.#isOld()) return this.#observe();
    const writtenAt = context.now();
    const time = timestamp(writtenAt);
    const pending = { time, add: change.add.map(tupleOf), remove: change.remove.map(tupleOf) };
    if (!(await this.#persist({ ...this.draft, pendingChange: pending }))) return STOPPED;
    const isTooLate = (): boolean => context.now() - writtenAt > waits.CHANGE_LEAVES_MS;
    const request = { type: 'change', change: pending } as const;
    const body = remote.changeBody(pending, goal);
    const answer = await this.#send(body, request, true, isTooLate);
    if (answer.type !== 'success') return this.#afterFailure(pending, answer);
    this.refusalsInRow = 0;
    ways.changeEnded(200);
    return undefined;
  }

  /** What was observed long ago, or before a pause of the key, is no ground for a change. */
  #isOld(): boolean {
    const { context, calls } = this.#with;
    const { observedAt = 0 } = this;
    // With a call in many minutes each one grows old, and yet something must be sent in the end.
    if (this.#observations >= waits.MOST_OBSERVATIONS) return false;
    const isOver = context.now() - observedAt > waits.OBSERVATION_LASTS_MS;
    return isOver || calls.pausedSince(observedAt);
  }

  async #afterFailure(pending: PendingChange, answer: Failed): Promise<End | undefined> {
    const { context, ways } = this.#with;
    const isOfSeveral = pending.add.length + pending.remove.length > 1;
    const verdict = answer.type === 'failure' ? answer.verdict : undefined;
    if (verdict?.outcome === 'Unknown') {
      if (isOfSeveral) ways.changeEnded(verdict.httpStatus);
      return failed(answer);
    }
    this.draft = { ...this.draft, pendingChange: undefined };
    const refusal = verdict && refusalOf(verdict);
    if (!refusal) return failed(answer);
    this.#oneByOne = true;
    if (isOfSeveral) {
      const said = `${withoutStop(refusal.message)}${quoting(refusal.requestId)}`;
      this.events = [...this.events, refusedEvent(pending, said)];
      this.observedAt = undefined;
    } else {
      const { privateEndpoints: before = [] } = this.draft;
      const [object, now] = [context.object(), context.now()];
      const privateEndpoints = markRefused(before, pending, refusal, object, now);
      this.draft = { ...this.draft, privateEndpoints };
      this.refusalsInRow += 1;
    }
    // Before any further call: for example, if the process restarted now, the change would read as
    // lost, and what a refused add finds would count as ours.
    return (await this.#persist(this.draft)) ? undefined : STOPPED;
  }

  /** False: it is not known to stand. The draft carries a pending change only once it does. */
  async #persist(draft: OrganizationStatus): Promise<boolean> {
    const { context, goal } = this.#with;
    const isSaved = await context.save(inProgress(context.object(), draft, goal, context.now()));
    if (isSaved) this.draft = draft;
    return isSaved;
  }

  /** One that an old observation has left unused serves the next request. */
  async #permit(): Promise<End | undefined> {
    const none = this.#hasPermit ? undefined : await this.#with.calls.permit();
    this.#hasPermit = none === undefined;
    return none && failed(none);
  }

  /** Makes the one call that a permit is for, and takes in what it shows. */
  async #send(body: string, request: Request, write = true, isTooLate = () => false) {
    const { calls, segments, stillWanted, context } = this.#with;
    this.#hasPermit = false;
    const call = remote.organizationRequest(segments, body, write);
    const answer = await calls.send(call, () => !stillWanted() || isTooLate());
    const [object, now] = [context.object(), context.now()];
    if (answer.type === 'success') learn(this, { ...this.#with, ...answer, object, now, request });
    if (answer.type === 'failure') {
      const lastRequest = lastRequestOf(remote.UPDATE_ORGANIZATION, answer.verdict, now);
      this.draft = { ...this.draft, lastRequest };
    }
    return answer;
  }
}

/** What an attempt knows at its end. */
export type Attempted = Omit<Attempt, 'run'>;

function failed(answer: Failed, isUnreadable = false): End {
  return answer.type === 'not-wanted' ? STOPPED : { type: 'failed', answer, isUnreadable };
}
