import { isDeepStrictEqual } from 'node:util';
import type { Change, Thing } from '../kubernetes/objects.ts';
import type { ApiCall, Fact, KubeAsk } from '../record/facts.ts';
import {
  type ConditionView,
  isStalled,
  type LedgerView,
  readyOf,
  type StatusView,
  sameEndpoint,
  specOf,
  statusOf,
  targetOfSpec,
} from '../record/objects.ts';
import type { PatchView } from './calls.ts';
import { type Court, isSuccess, type Judge } from './court.ts';
import { asMeant } from './twice.ts';

/** So long the declared name serves as the look. */
const HOUR_MS = 3_600_000;
const BUSY = new Set([409, 423, 424, 425]);

/** By the contract; none: more than the status decides it. */
function outcomesOf(status: number, isRead: boolean): readonly string[] {
  if (status < 300) return [];
  if (status === 429) return ['RateLimited'];
  if (BUSY.has(status)) return ['Busy'];
  if (status >= 400 && status < 500 && status !== 408) return ['Rejected'];
  return isRead ? ['Unavailable', 'Unknown'] : ['Unknown'];
}

/**
 * Whether more of what its ledger has as there is not declared than may be removed; what no list
 * has shown yet is not to be removed.
 */
function isTooMuch(thing: Thing): boolean {
  const { privateEndpoints: declared = [], maxPrivateEndpointRemovals: most = 5 } = specOf(thing);
  const isThere = ({ origin, state }: LedgerView): boolean =>
    (origin === 'Added' || origin === 'Adopted') && (state === 'Present' || state === 'Missing');
  const there = (statusOf(thing).privateEndpoints ?? []).filter(isThere);
  return there.filter((entry) => !declared.some((one) => sameEndpoint(one, entry))).length > most;
}

/** A PATCH that changes no endpoints reads the organization. */
export function isLook({ method, body }: ApiCall): boolean {
  const { add = [], remove = [] } =
    (method === 'PATCH' ? (body as PatchView) : {}).privateEndpoints ?? {};
  return method === 'PATCH' && add.length + remove.length === 0;
}

/** Every status and message is true of what the API had answered. */
export class MessageJudge implements Judge {
  readonly #court: Court;
  readonly #calls: ApiCall[] = [];
  readonly #byRequestId = new Map<string, ApiCall>();
  /** Calls without an answer that a status has told of. */
  readonly #told = new Set<ApiCall>();
  /** By process and target: when a call last found nobody to connect to. */
  readonly #unreachedAt = new Map<string, number>();

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (fact.what === 'leaves') this.#calls.push(fact.call);
    if (fact.what === 'answered' && fact.call.reply?.requestId !== undefined) {
      this.#byRequestId.set(fact.call.reply.requestId, fact.call);
    }
    if (fact.what === 'unreached') this.#unreachedAt.set(`${fact.process} ${fact.target}`, fact.at);
    if (fact.what === 'asked') this.#judgeTried(fact.process, fact.ask);
    if (fact.what !== 'written' || fact.change.by === 'user' || fact.change.type !== 'MODIFIED')
      return;
    const { plural } = fact.change.kind;
    if (plural === 'pipesettings' || plural === 'organizations' || plural === 'activities')
      this.#judge(plural, asMeant(fact.change, this.#court.life));
  }

  #judge(plural: string, { now, before, by }: Change): void {
    const { namespace, name } = now.metadata;
    const key = `${plural}/${namespace}/${name}`;
    const target = targetOfSpec(plural, specOf(now));
    const status = statusOf(now);
    const ready = readyOf(now);
    if (!ready || isDeepStrictEqual(status, statusOf(before))) return;
    this.#judgeLastRequest(key, target, status, statusOf(before));
    // A word that stood there before is of an earlier request.
    if (!isDeepStrictEqual(status.lastRequest, statusOf(before).lastRequest))
      this.#judgeUnsent(key, target, { now, before, by });
    this.#judgeIds(key, target, ready);
    this.#judgeNames(key, namespace, ready);
    if (ready.reason === 'Unauthorized') this.#judgeRefused(key, now);
    if (ready.reason === 'RemovalBlocked') this.#judgeBlocked(key, target, now, ready);
    if (ready.reason === 'Applied') this.#judgeApplied(key, target, plural, now);
    if (ready.reason === 'Planned') this.#judgePlanned(key, now, ready);
    if (ready.status === 'True' && isStalled(now))
      this.#court.report('said both', key, `${key} is Ready and Stalled`);
  }

  /** Who waits for `Ready` does not go past a plan with something in it, nor gives up over it. */
  #judgePlanned(key: string, now: Thing, ready: ConditionView): void {
    const { plan, conditions = [] } = statusOf(now);
    const changes = plan?.changes?.length ?? 0;
    const isLookedAt = plan?.basis === 'LastResponse';
    if (ready.status === 'True' && (changes > 0 || !isLookedAt))
      this.#court.report(
        'said planned',
        key,
        `${key} is Ready over a plan with ${changes} changes, worked out from ${plan?.basis}`,
      );
    if (conditions.length > 1)
      this.#court.report('said planned', key, `${key} is planned, and says more than Ready`);
  }

  #judgeLastRequest(
    key: string,
    target: string,
    { lastRequest }: StatusView,
    before: StatusView,
  ): void {
    if (!lastRequest?.requestId || isDeepStrictEqual(lastRequest, before.lastRequest)) return;
    const call = this.#byRequestId.get(lastRequest.requestId);
    const { requestId, httpStatus } = lastRequest;
    if (!call)
      this.#court.report(
        'said last-request',
        key,
        `status.lastRequest of ${key} names request ${requestId}, which no reply had`,
      );
    else if (call.target !== target)
      this.#court.report(
        'said last-request',
        key,
        `status.lastRequest of ${key} names a request for ${call.target}`,
      );
    else if (call.reply?.status === httpStatus) this.#judgeOutcome(key, call, lastRequest.outcome);
    else {
      this.#court.report(
        'said last-request',
        key,
        `status.lastRequest of ${key} says ${httpStatus} of a request that was answered ${call.reply?.status}`,
      );
    }
  }

  /** What became of a request follows from the status of its answer. */
  #judgeOutcome(key: string, call: ApiCall, outcome: string | undefined): void {
    const { status = 0 } = call.reply ?? {};
    const right = outcomesOf(status, call.method === 'GET' || isLook(call));
    if (right.length > 0 && !right.includes(outcome ?? ''))
      this.#court.report(
        'said outcome',
        key,
        `${key} says ${outcome} of a request that was answered ${status}`,
      );
  }

  /**
   * Who says that nothing of a write reached the API is wrong where the API has carried it out.
   * Only of what can be this object's own: where a call of another one went before, this one's may
   * have found nobody to connect to, and so is none that was seen to leave.
   */
  #judgeUnsent(
    key: string,
    target: string,
    { now, before, by }: Pick<Change, 'now' | 'before' | 'by'>,
  ): void {
    const { lastRequest } = statusOf(now);
    const isOwn = (call: ApiCall): boolean =>
      this.#court
        .candidates(call)
        .some(({ known }) => known.last.metadata.uid === now.metadata.uid);
    const last = this.#calls.findLast((call) => call.target === target && call.process === by);
    if (!last?.unanswered || this.#told.has(last) || !isOwn(last)) return;
    this.#told.add(last);
    if (lastRequest?.outcome !== 'Unavailable' || last.method === 'GET' || isLook(last)) return;
    // Its word may have been superseded without a try by what a restore has brought, or another
    // process has said, or it may have been another object's with the same key, which is gone: what
    // is said then is of a later call.
    const isOfLater = (this.#unreachedAt.get(`${by} ${target}`) ?? 0) > last.unanswered.at;
    const mayBeAnothers = this.#court.candidates(last).length > 1;
    const standing = this.#byRequestId.get(statusOf(before).lastRequest?.requestId ?? '');
    const isOverruled =
      standing !== undefined && standing.process !== by && (standing.reply?.at ?? 0) > last.leftAt;
    const isRestored = (this.#court.life.restores.at(-1) ?? -1) >= last.leftAt;
    if (isOfLater && (mayBeAnothers || isOverruled || isRestored)) return;
    const [done] = last.executions;
    if (done && done.at < last.unanswered.at)
      this.#court.report(
        'said unsent',
        key,
        `${key} says that nothing reached the API, and it had ${last.text}`,
      );
  }

  /**
   * What could not be written has told of the call all the same: what is written after it speaks of
   * a later attempt.
   */
  #judgeTried(process: string, { method, path, status, body }: KubeAsk): void {
    const [, namespace, plural, name] =
      /\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)\/status$/.exec(path) ?? [];
    if (method !== 'PUT' || status === 200 || !plural) return;
    const key = `${plural}/${namespace}/${name}`;
    const { knowledge } = this.#court.life;
    const known = knowledge.of(process).get(key)?.last ?? knowledge.forgottenBy(process).get(key);
    const tried = JSON.parse(body) as Thing;
    if (!known || known.metadata.uid !== tried.metadata.uid) return;
    if (isDeepStrictEqual(statusOf(tried).lastRequest, statusOf(known).lastRequest)) return;
    const target = targetOfSpec(plural, specOf(known));
    this.#judgeUnsent(key, target, { now: { ...known, ...tried }, before: known, by: process });
  }

  /**
   * An id that is quoted is that of a reply about this target, and the HTTP status beside it is the
   * reply's.
   */
  #judgeIds(key: string, target: string, { message }: ConditionView): void {
    for (const [, requestId = ''] of message.matchAll(/\(request ([0-9a-f-]{36})\)/g)) {
      const call = this.#byRequestId.get(requestId);
      if (!call || call.target !== target) {
        this.#court.report(
          'said request',
          key,
          `the message of ${key} quotes request ${requestId}, which was not about ${target}`,
        );
      }
    }
  }

  /** Whoever holds a target is named to nobody outside of his namespace. */
  #judgeNames(key: string, namespace: string, { message }: ConditionView): void {
    const other = this.#court.life.world.namespaces.find(
      (one) => one !== namespace && message.includes(`${one}/`),
    );
    if (other !== undefined)
      this.#court.report(
        'held names',
        key,
        `the message of ${key} names an object of ${other}: ${message}`,
      );
  }

  #judgeRefused(key: string, { metadata }: Thing): void {
    const refused = this.#calls.filter(({ reply }) => reply?.status === 401);
    if (!refused.some(({ credential }) => this.#court.holds(metadata.namespace, credential)))
      this.#court.report(
        'said unauthorized',
        key,
        `${key} says Unauthorized, and no key of its namespace was refused`,
      );
  }

  /**
   * More removals than are allowed, by the ledger that the process knew of: then nothing at all is
   * sent for this generation.
   */
  #judgeBlocked(key: string, target: string, now: Thing, { message }: ConditionView): void {
    const { uid } = now.metadata;
    const since = this.#generationSince(now);
    const sent = this.#calls.find((call) => {
      if (call.target !== target || call.leftAt < since) return false;
      // What an API loses of another change when it is looked at was not sent by the look.
      const moves =
        !isLook(call) &&
        call.executions.some(
          ({ moves: did }) => (did?.added.length ?? 0) + (did?.removed.length ?? 0) > 0,
        );
      const { name } = call.method === 'PATCH' ? (call.body as PatchView) : {};
      const renames =
        name !== undefined && this.#isNewName(call, name) && !this.#isOnlyWayToLook(call);
      // What left before the process had been told of this spec was for the one before; a restore
      // gives the numbers of generations once more.
      const isFor = (known: Thing): boolean =>
        known.metadata.uid === uid &&
        isDeepStrictEqual(specOf(known), specOf(now)) &&
        isTooMuch(known);
      return (moves || renames) && this.#court.objectsOf(call).every(isFor);
    });
    if (sent)
      this.#court.report(
        'said nothing-sent',
        key,
        `${key} says "${message.slice(0, 60)}…", and ${sent.text} was sent for this generation`,
      );
  }

  /** When the API server stored the generation that a status speaks of. */
  #generationSince({ metadata }: Thing): number {
    return this.#court.life.generationSince(metadata.uid, metadata.generation ?? 0);
  }

  /**
   * Where the API refuses a look, the declared name is sent in place of it: once for each spec,
   * before it is known what would be removed.
   */
  #isOnlyWayToLook(call: ApiCall): boolean {
    return this.#calls.some(
      (other) =>
        other.target === call.target &&
        other.leftAt < call.leftAt &&
        other.leftAt > call.leftAt - HOUR_MS &&
        isLook(other) &&
        (other.body as PatchView).name === undefined &&
        (other.reply?.status ?? 0) >= 400,
    );
  }

  #isNewName(call: ApiCall, name: string): boolean {
    const at = this.#calls.indexOf(call);
    const before = this.#calls
      .slice(0, at)
      .findLast((other) => other.target === call.target && other.reply?.result?.name !== undefined);
    return before !== undefined && before.reply?.result?.name !== name;
  }

  /** `applied` stands for a reply of 200 to a request with this declared state. */
  #judgeApplied(key: string, target: string, plural: string, now: Thing): void {
    const { applied } = statusOf(now);
    const { generation } = now.metadata;
    if (applied?.requestId === undefined || applied.generation !== generation) return;
    const call = this.#byRequestId.get(applied.requestId);
    if (!call || call.target !== target || !isSuccess(call)) {
      this.#court.report(
        'said applied',
        key,
        `status.applied of ${key} names request ${applied.requestId}, which was not confirmed for ${target}`,
      );
      return;
    }
    if (plural === 'pipesettings' && !isDeepStrictEqual(call.body, { ...specOf(now).settings })) {
      this.#court.report(
        'said applied',
        key,
        `${key} says Applied for other settings than were sent: ${call.text}`,
      );
    }
  }
}
