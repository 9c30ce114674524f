import type { Thing } from '../kubernetes/objects.ts';
import type { ApiCall } from '../record/facts.ts';
import {
  type EndpointView,
  readyOf,
  type SpecView,
  sameId,
  specOf,
  statusOf,
  targetOfSpec,
} from '../record/objects.ts';
import type { PatchView } from './calls.ts';
import { type Court, isRefused, isSuccess } from './court.ts';
import { cameUntold, isFromBefore } from './excused-at-rest.ts';
import type { LedgerJudge } from './ledger.ts';
import type { Notes } from './notes.ts';
import { type Rightful, TELLS_ALL } from './rightful.ts';
import { areTwice, type Instance, isIn, type Look, type Trails, truthKey } from './trail.ts';

/** What is not confirmed is tried again so often before the wait of 6 hours. */
const SHORT_WAITS = 3;

/**
 * I4, of Organizations: what one says at rest is what the API has, or its condition names what
 * keeps it from there.
 */
export class OrganizationsAtRest {
  readonly #court: Court;
  readonly #trails: Trails;
  readonly #notes: Notes;
  readonly #ledger: LedgerJudge;
  readonly #rightful: Rightful;

  constructor(
    court: Court,
    trails: Trails,
    seen: { readonly notes: Notes; readonly ledger: LedgerJudge; readonly rightful: Rightful },
  ) {
    this.#court = court;
    this.#trails = trails;
    this.#notes = seen.notes;
    this.#ledger = seen.ledger;
    this.#rightful = seen.rightful;
  }

  judge(key: string, thing: Thing, reason: string): void {
    const target = targetOfSpec('organizations', specOf(thing));
    if (reason !== 'Applied' && reason !== 'Conflict' && !TELLS_ALL.has(reason)) return;
    if (this.#court.isOverruledElsewhere(thing, target)) return;
    // A change that the API has lost to another one at the same time was confirmed all the same.
    if (this.#rightful.behaviour(thing).concurrent === 'lost-update') return;
    this.#judgeThere(key, thing, reason);
    this.#judgeHint(key, thing);
    if (reason !== 'Applied') return;
    this.#judgeName(key, thing);
    this.#judgeLeft(key, thing);
  }

  /** What it declares is there. */
  #judgeThere(key: string, thing: Thing, reason: string): void {
    const kept = this.untaken(thing, reason).filter(
      (endpoint) => !this.#wentSince(thing, endpoint),
    );
    const isTaken = kept.some((endpoint) => this.#tookAnother(thing, endpoint));
    const rule = isTaken
      ? 'I4 overwritten'
      : this.#notThere(reason === 'Applied' ? 'I4 not-there' : 'I4 kept-out');
    // What keeps it from there is in the condition then, or `no-hint` says that it is not.
    const isBlind = reason === 'Rejected' && this.#rightful.cannotLook(thing);
    if (kept.length === 0 || isBlind || isFromBefore(thing, this.#court)) return;
    this.#court.report(
      this.oddly(thing, rule),
      key,
      `${key} says ${reason}, and ${names(kept)} that the API would take ${kept.length === 1 ? 'is' : 'are'} not there`,
    );
  }

  #judgeName(key: string, thing: Thing): void {
    const { name, organizationId = '' } = specOf(thing);
    const named = this.#lastNamed(targetOfSpec('organizations', specOf(thing)));
    const isNamed = name === undefined || (named?.body as PatchView | undefined)?.name === name;
    const isExcused = (): boolean =>
      isFromBefore(thing, this.#court) ||
      this.#cameTwice(named) ||
      cameUntold(named, thing, this.#court);
    if (isNamed || this.#rightful.changesNames(thing) || isExcused()) return;
    const actual = this.#court.life.api.organizations.of(organizationId)?.name;
    this.#court.report(
      named === undefined ? this.#notThere('I4 not-there') : 'I4 overwritten',
      key,
      `${key} says Applied with the name "${name}", and the API has "${actual}"`,
    );
  }

  /** What it had added and declares no more is gone. */
  #judgeLeft(key: string, thing: Thing): void {
    const { privateEndpoints: declared } = specOf(thing);
    if (declared === undefined) return;
    const present = this.#trails.present(
      this.#court.life.apiHost,
      targetOfSpec('organizations', specOf(thing)),
    );
    const unlisted = present.filter(
      (one) => !declared.some((endpoint) => truthKey(endpoint) === one.key),
    );
    const left = unlisted.filter((one) => this.#isKnownAsOurs(thing, one));
    if (left.length === 0) return;
    this.#court.report(
      this.oddly(thing, 'I4 not-removed'),
      key,
      `${key} says Applied, and ${names(left.map(({ stored }) => stored))} that it had added and lists no more is still there`,
    );
  }

  #isKnownAsOurs(thing: Thing, instance: Instance): boolean {
    const { stored, creator } = instance;
    if (creator.by !== 'operator') return false;
    const { uid } = thing.metadata;
    const isOwned = this.#rightful.owns(thing, stored);
    // What came back with a restore may be from before it was to be added; its call may be carried
    // out later.
    const isBeforeRestore = creator.call.leftAt <= (this.#court.life.restores.at(-1) ?? -1);
    if (isBeforeRestore && !isOwned) return false;
    const target = targetOfSpec('organizations', specOf(thing));
    if (this.#wasHiddenTwice(target, { stored, creator })) return false;
    const isGivenUp =
      this.#notes.gaveUp(uid, stored.id) || this.#ledger.isLost(uid, stored, creator.at);
    if (isGivenUp && !isOwned) return false;
    const { apiHost, timeline } = this.#court.life;
    if (!isOwned && this.#trails.cameAgain(apiHost, target, instance)) return false;
    const { add = [] } = statusOf(thing).pendingChange ?? {};
    const isPending = add.some((one) => truthKey(one) === instance.key);
    const isUnseen = { isPending, until: timeline.now };
    if (!isOwned && this.#trails.isStoredUnseen(apiHost, target, instance, isUnseen)) return false;
    const makers = this.#court.candidates(creator.call);
    return makers.length === 1 && makers[0]?.known.last.metadata.uid === uid;
  }

  /**
   * What it declares that is not there, that the API would take, and that this reason does not
   * account for.
   */
  untaken(thing: Thing, reason: string): EndpointView[] {
    if (!this.#rightful.canAdd(thing)) return [];
    const present = this.#trails.present(
      this.#court.life.apiHost,
      targetOfSpec('organizations', specOf(thing)),
    );
    const { privateEndpoints: declared = [] } = specOf(thing);
    const missing = declared.filter(
      (one) => !present.some((instance) => instance.key === truthKey(one)),
    );
    const isToldOf = (one: EndpointView): boolean =>
      reason === 'NotConfirmed' && this.#rightful.isUnconfirmed(thing, one);
    return missing.filter(
      (endpoint) => this.#rightful.takes(thing, endpoint) && !isToldOf(endpoint),
    );
  }

  /** Where an API shows endpoints in its own spelling, or no list, that is what it is about. */
  oddly(thing: Thing, rule: string): string {
    const { tuples, emptyLists, list } = this.#rightful.behaviour(thing);
    if (tuples !== undefined || this.#isSpelledOtherwise(thing)) return 'I4 spelled';
    if (emptyLists !== undefined) return 'I4 blind';
    return list === 'absent-when-empty' ? 'I4 unlisted' : rule;
  }

  /** Whether an endpoint that it declares is there in other letters. */
  #isSpelledOtherwise(thing: Thing): boolean {
    const { privateEndpoints: declared = [] } = specOf(thing);
    const present = this.#trails.present(
      this.#court.life.apiHost,
      targetOfSpec('organizations', specOf(thing)),
    );
    return present.some(({ key, stored }) =>
      declared.some(
        (one) => truthKey(one) === key && (one.id !== stored.id || one.region !== stored.region),
      ),
    );
  }

  /** Why it says NotConfirmed of a name that no reply has shown, and by the contract may. */
  whyUnconfirmed(thing: Thing): string | undefined {
    const target = targetOfSpec('organizations', specOf(thing));
    if (this.#isRenamedElsewhere(thing, target))
      return 'two shards that give an organization another name in turn';
    return this.#isShownLater(thing, target)
      ? 'a name that is shown later than it is looked at'
      : undefined;
  }

  /**
   * Whether a process that does not see this object has given its organization a name between the
   * last two times that this object gave its own, and none of its replies has shown that since: two
   * shards in turn, at an API that lags behind its writes.
   */
  #isRenamedElsewhere({ metadata: { uid, namespace }, spec }: Thing, target: string): boolean {
    const { name } = spec as SpecView;
    if (name === undefined) return false;
    const isOwn = (call: ApiCall): boolean =>
      this.#court.candidates(call).some(({ known }) => known.last.metadata.uid === uid);
    const calls = this.#court.carriedOut(target);
    const named = calls.filter(({ body }) => (body as SpecView).name !== undefined);
    const [previous, last] = named
      .filter((call) => (call.body as SpecView).name === name && isOwn(call))
      .slice(-2);
    if (!previous || !last) return false;
    const since = calls.slice(calls.indexOf(last));
    if (since.some((call) => isOwn(call) && call.reply?.result?.name === name)) return false;
    const others = named.slice(named.indexOf(previous) + 1, named.indexOf(last));
    return others.some((call) => {
      const namespaces = this.#court
        .candidates(call)
        .map(({ known }) => known.last.metadata.namespace);
      return !namespaces.some((one) => this.#court.life.fleet.sees(one, namespace));
    });
  }

  /**
   * Whether the waits of a name are used up, and no reply has shown it to this object since it was
   * given last: an API that lags shows it only with the next attempt, which by the contract is 6
   * hours off.
   */
  #isShownLater(thing: Thing, target: string): boolean {
    const { uid } = thing.metadata;
    const { name, organizationId = '' } = specOf(thing);
    if (name === undefined || this.#court.life.api.organizations.of(organizationId)?.name !== name)
      return false;
    if ((statusOf(thing).attempts ?? 0) <= SHORT_WAITS) return false;
    const calls = this.#court.carriedOut(target);
    const isOwn = (call: ApiCall): boolean =>
      this.#court.candidates(call).some(({ known }) => known.last.metadata.uid === uid);
    const last = calls.findLastIndex(
      (call) => (call.body as SpecView).name === name && isOwn(call),
    );
    return (
      last >= 0 &&
      !calls.slice(last).some((call) => isOwn(call) && call.reply?.result?.name === name)
    );
  }

  /**
   * Two looks a minute apart, and none between, lacked what was there all the time: that proves to
   * any client that it is gone. So do two without a list, where the last one was empty or there was
   * none.
   */
  #wasHiddenTwice(
    target: string,
    { stored, creator }: Pick<Instance, 'stored' | 'creator'>,
  ): boolean {
    let misses: Look[] = [];
    let unlisted: Look[] = [];
    let isEmpty = true;
    for (const look of this.#trails.of(this.#court.life.apiHost, target).looks) {
      if (look.entries) isEmpty = look.entries.length === 0;
      if (look.at < creator.at) continue;
      if (look.entries) misses = isIn(look.entries, stored) ? [] : [...misses, look];
      unlisted = look.entries || !isEmpty ? [] : [...unlisted, look];
      if (!areTwice(misses) && !areTwice(unlisted)) continue;
      this.#court.excuse('hidden from two looks a minute apart');
      return true;
    }
    return false;
  }

  /**
   * Something that was never there: where the operator has moved to another API it may have been at
   * the first one.
   */
  #notThere(rule: string): string {
    const { life } = this.#court;
    return life.apiHost === life.firstApiHost ? rule : 'I4 other-api';
  }

  /** Whether another object's call took it away. */
  #tookAnother({ metadata, spec }: Thing, endpoint: EndpointView): boolean {
    const { instances } = this.#trails.of(
      this.#court.life.apiHost,
      targetOfSpec('organizations', spec as SpecView),
    );
    const call = instances.findLast(({ key, gone }) => key === truthKey(endpoint) && gone)?.gone
      ?.call;
    if (!call) return false;
    return !this.#court
      .candidates(call)
      .some(({ known }) => known.last.metadata.uid === metadata.uid);
  }

  /**
   * Whether somebody else took it away after the last look for this object, or that one showed what
   * was before; or took away what was under its id in another place, which keeps it out; or a write
   * of the operator did of which nobody could know, also because a restore has taken it off the
   * record.
   */
  #wentSince(thing: Thing, endpoint: EndpointView): boolean {
    const { apiHost } = this.#court.life;
    const target = targetOfSpec('organizations', specOf(thing));
    const { instances, looks } = this.#trails.of(apiHost, target);
    const { uid } = thing.metadata;
    // The answer to a look over which another process has spoken goes with its attempt.
    const last = looks.findLast(
      ({ call, entries }) =>
        entries &&
        this.#court.isTold(call, uid) &&
        this.#court.candidates(call).some(({ known }) => known.last.metadata.uid === uid),
    );
    const key = truthKey(endpoint);
    const isStale =
      last?.entries !== undefined && isIn(last.entries, endpoint) && !last.truth.has(key);
    const restoredAt = this.#court.life.restores.at(-1) ?? 0;
    if (isStale) this.#court.excuse('a list from before it was removed');
    // The answer is that of the first time: nobody hears of what a call shows that is carried out
    // once more.
    const seenAt = last?.call.executions[0]?.at ?? 0;
    return instances.some((one) => {
      if (!one.gone) return false;
      const isUnseen = one.gone.at >= seenAt;
      if (one.gone.call) {
        const isUnknown = (call: ApiCall): boolean =>
          this.#trails.wentAgain(apiHost, target, one) || cameUntold(call, thing, this.#court);
        // No record tells of that removal any more.
        if (one.key === key && isStale && one.gone.at <= restoredAt) return true;
        return one.key === key && isUnseen && isUnknown(one.gone.call);
      }
      if (one.key === key) return isStale || isUnseen;
      // What came after that look has kept nothing out by then.
      const wasThere = last !== undefined && one.creator.at <= seenAt;
      return wasThere && sameId(one.stored, endpoint) && isUnseen;
    });
  }

  /** The call that was the last to give a name, in the order in which the API carried them out. */
  #lastNamed(target: string): ApiCall | undefined {
    return this.#court.lastNamed.get(`${this.#court.life.apiHost} ${target}`);
  }

  /** It was confirmed, or refused, and carried out once more after that: no client hears of it. */
  #cameTwice(call: ApiCall | undefined): boolean {
    const last = call?.executions.findLast(({ applied }) => applied);
    const isOver = call !== undefined && (isSuccess(call) || isRefused(call));
    const isSo = isOver && (last?.at ?? 0) > (call.reply?.at ?? 0);
    if (isSo) this.#court.excuse('a call carried out twice');
    return isSo;
  }

  /** Where the list cannot be read for want of a declared name, the condition says so. */
  #judgeHint(key: string, thing: Thing): void {
    if (!this.#rightful.needsName(thing) || readyOf(thing)?.status === 'True') return;
    const message = readyOf(thing)?.message ?? '';
    if (!/spec\.name|declare a name/i.test(message)) {
      this.#court.report(
        'said no-hint',
        key,
        `no look works for ${key} because it declares no name, and its condition does not say so: ${message}`,
      );
    }
  }
}

function names(endpoints: readonly EndpointView[]): string {
  return endpoints.map(({ id }) => id).join(', ');
}
