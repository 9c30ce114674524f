import type { Success } from '../../api/reply/verdict.ts';
import type { Context } from '../../controller/kind.ts';
import {
  CHANGE_LEAVES_MS,
  MOST_OBSERVATIONS,
  MOST_REFUSALS,
  OBSERVATION_LASTS_MS,
} from '../../waits.ts';
import type { Answer, Calls } from '../shared/calls.ts';
import { timestamp } from '../shared/canonical.ts';
import { lastRequestOf, quoting, withoutStop } from '../shared/common-status.ts';
import { type Change, type Decision, decide, nextChange } from './decide.ts';
import { tupleOf } from './endpoints/endpoints.ts';
import { refusedEvent } from './events.ts';
import type { Goal } from './goal.ts';
import type { Attempted, End, Known } from './known.ts';
import { learn, type Replied } from './observation.ts';
import { markRefused, type Refusal, refusalOf } from './refusal.ts';
import {
  changeBody,
  nameBody,
  OBSERVE_BODY,
  organizationRequest,
  UPDATE_ORGANIZATION,
} from './remote.ts';
import { inProgress } from './report.ts';
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
  readonly settleMs: number;
  /** `deletionPolicy: RemovePrivateEndpoints`: the finalizer goes on before the first change. */
  readonly mayRemove: boolean;
  readonly ways: Ways;
  /** Nobody has changed what is wanted, and no deadline has passed. */
  readonly stillWanted: () => boolean;
}

const DONE: End = { type: 'done' };
const STOPPED: End = { type: 'stopped' };
const HINT =
  'Declare spec.name to make the list readable: the operator then sends that name, and the response shows the list';

/**
 * One attempt: observe, settle, decide, name, pending change, send, settle, until nothing is left.
 *
 * Guarantees: an add or a removal leaves only after a reply of this attempt, at most 30 s old, has
 * shown that it is needed, and after the pending change is persisted. Whatever ends the attempt,
 * the status says what may have been done; nothing else outlives it.
 * Assumes: a permit in hand; one attempt for an organization at a time in this process.
 */
export class Attempt {
  readonly #with: AttemptOptions;
  #known: Known;
  #hasPermit = true;
  #observations = 0;
  #isNamed = false;
  #nameRefusal: Refusal | undefined;
  #refusalsInRow = 0;
  /** Something was refused: each endpoint goes by itself. */
  #oneByOne: boolean;

  constructor(options: AttemptOptions, known: Known) {
    this.#with = options;
    this.#known = known;
    const hasRefused = known.draft.privateEndpoints?.some(({ lastError }) => lastError);
    this.#oneByOne = options.ways.isOneByOne || hasRefused === true;
  }

  async run(): Promise<Attempted> {
    let end: End | undefined;
    while (!end) end = await this.#step();
    const decision = this.#decide();
    const isTired = this.#refusalsInRow >= MOST_REFUSALS;
    const isCutShort = isTired && nextChange(decision, true) !== undefined;
    return { ...this.#known, end, decision, nameRefusal: this.#nameRefusal, isCutShort };
  }

  async #step(): Promise<End | undefined> {
    const { stillWanted, ways, goal } = this.#with;
    if (!stillWanted()) return STOPPED;
    const decision = this.#decide();
    // An observation that sends the name is not made either while too much would be removed.
    const mayObserve = !decision.blocked || ways.nameToObserveBy(goal) === undefined;
    if (this.#known.observedAt === undefined && mayObserve) return this.#observe();
    // Nothing else is sent until a list shows all of a lost change, or its time is over.
    if (this.#known.draft.pendingChange || decision.blocked) return DONE;
    if (decision.name !== undefined && !this.#isNamed) return this.#sendName(decision.name);
    if (this.#refusalsInRow >= MOST_REFUSALS) return DONE;
    const change = nextChange(decision, this.#oneByOne);
    return change ? this.#sendChange(change) : DONE;
  }

  #decide(): Decision {
    const { goal, context } = this.#with;
    const { list, name, draft } = this.#known;
    const inventory = draft.privateEndpoints ?? [];
    return decide({ goal, inventory, list, name, now: context.now() });
  }

  /** By the request that changes nothing; where the API takes none, by the declared name. */
  async #observe(): Promise<End | undefined> {
    const { ways, goal } = this.#with;
    const name = ways.nameToObserveBy(goal);
    const refused = await this.#permit();
    if (refused) return refused;
    const body = name === undefined ? OBSERVE_BODY : nameBody(name);
    const answer = await this.#send(body, name !== undefined);
    if (answer.type === 'success') {
      ways.observed(name !== undefined);
      this.#observations += 1;
      this.#isNamed ||= name !== undefined;
      this.#learn(answer, { type: 'observe' });
      return undefined;
    }
    if (name !== undefined) ways.notObservedByName();
    if (answer.type !== 'failure' || name !== undefined) return { type: 'failed', answer };
    const way = ways.notObserved(answer.verdict, goal);
    if (way === 'by-name') return undefined;
    return { type: 'failed', answer, ...(way === 'none' && { hint: HINT }) };
  }

  async #sendName(name: string): Promise<End | undefined> {
    const refused = await this.#permit();
    if (refused) return refused;
    const answer = await this.#send(nameBody(name), true);
    this.#isNamed = true;
    if (answer.type === 'success') this.#learn(answer, { type: 'name', name });
    else this.#nameRefusal = answer.type === 'failure' ? refusalOf(answer.verdict) : undefined;
    return answer.type === 'success' || this.#nameRefusal ? undefined : { type: 'failed', answer };
  }

  /**
   * The pending change stands before the first byte leaves: if the process dies after that, the next
   * attempt knows what may be there.
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
    if (!(await this.#persist({ ...this.#known.draft, pendingChange: pending }))) return STOPPED;
    const isTooLate = (): boolean => context.now() - writtenAt > CHANGE_LEAVES_MS;
    const answer = await this.#send(changeBody(pending, goal), true, isTooLate);
    if (answer.type !== 'success') return this.#afterFailure(pending, answer);
    this.#refusalsInRow = 0;
    ways.changed();
    this.#learn(answer, { type: 'change', change: pending });
    return undefined;
  }

  /** What was observed long ago, or before a pause of the key, is no ground for a change. */
  #isOld(): boolean {
    const { context, calls } = this.#with;
    const { observedAt = 0 } = this.#known;
    // With a call in many minutes each one grows old, and yet something must be sent in the end.
    if (this.#observations >= MOST_OBSERVATIONS) return false;
    return context.now() - observedAt > OBSERVATION_LASTS_MS || calls.pausedSince(observedAt);
  }

  async #afterFailure(
    pending: PendingChange,
    answer: Exclude<Answer, { type: 'success' }>,
  ): Promise<End | undefined> {
    const { context, ways } = this.#with;
    const isOfSeveral = pending.add.length + pending.remove.length > 1;
    if (answer.type === 'failure' && answer.verdict.outcome === 'Unknown') {
      ways.changeFailed(answer.verdict, isOfSeveral);
      return { type: 'failed', answer };
    }
    const draft = { ...this.#known.draft, pendingChange: undefined };
    this.#known = { ...this.#known, draft };
    const refusal = answer.type === 'failure' ? refusalOf(answer.verdict) : undefined;
    if (!refusal) return { type: 'failed', answer };
    this.#oneByOne = true;
    if (isOfSeveral) {
      const said = `${withoutStop(refusal.message)}${quoting(refusal.requestId)}`;
      const events = [...this.#known.events, refusedEvent(pending, said)];
      this.#known = { ...this.#known, events, observedAt: undefined };
    } else {
      const marked = markRefused(draft, pending, refusal, context);
      this.#known = { ...this.#known, draft: marked };
      this.#refusalsInRow += 1;
    }
    // Before any further call: for example, if the process restarted now, the change would read as
    // lost, and what a refused add finds would count as ours.
    return (await this.#persist(this.#known.draft)) ? undefined : STOPPED;
  }

  /** False: it is not known to stand. The draft carries a pending change only once it does. */
  async #persist(draft: OrganizationStatus): Promise<boolean> {
    const { context, goal } = this.#with;
    const status = inProgress(context.object(), draft, goal, context.now());
    if (!(await context.save(status))) return false;
    this.#known = { ...this.#known, draft };
    return true;
  }

  /** One that an old observation has left unused serves the next request. */
  async #permit(): Promise<End | undefined> {
    const answer = this.#hasPermit ? undefined : await this.#with.calls.permit();
    this.#hasPermit = answer === undefined;
    if (!answer) return undefined;
    return answer.type === 'not-wanted' ? STOPPED : { type: 'failed', answer };
  }

  /** Makes the one call that a permit is for, and notes a failure in the draft. */
  async #send(body: string, write: boolean, isTooLate = (): boolean => false): Promise<Answer> {
    const { calls, segments, stillWanted, context } = this.#with;
    this.#hasPermit = false;
    const request = organizationRequest(segments, body, write);
    const answer = await calls.send(request, () => !stillWanted() || isTooLate());
    if (answer.type !== 'failure') return answer;
    const lastRequest = lastRequestOf(UPDATE_ORGANIZATION, answer.verdict, context.now());
    this.#known = { ...this.#known, draft: { ...this.#known.draft, lastRequest } };
    return answer;
  }

  #learn(
    { verdict, sentAt }: { readonly verdict: Success; readonly sentAt: number },
    request: Replied['request'],
  ): void {
    const { goal, settleMs, apiHash, context } = this.#with;
    const [object, now] = [context.object(), context.now()];
    const replied = { object, now, verdict, sentAt, goal, settleMs, apiHash, request };
    this.#known = learn(this.#known, replied);
  }
}
