import type { Thing } from '../kubernetes/objects.ts';
import type { ApiCall } from '../record/facts.ts';
import {
  type EndpointView,
  type Plural,
  readyOf,
  type SpecView,
  sameId,
  specOf,
  statusOf,
  targetOfSpec,
} from '../record/objects.ts';
import type { PatchView } from './calls.ts';
import { type Court, isSuccess } from './court.ts';
import type { LedgerJudge } from './ledger.ts';
import type { Notes } from './notes.ts';
import { isFromBefore, PipesAtRest } from './pipes-at-rest.ts';
import type { RepeatJudge } from './repeats.ts';
import { Rightful } from './rightful.ts';
import { areTwice, type Instance, isIn, type Look, type Trails, truthKey } from './trail.ts';

const DELETED_MS = 15 * 60_000;
const GIVEN_TWICE = 'a version that had been given before a restore';
/** Whose key was refused for others has no time of its own: one of them tries it half as late again as the longest wait, give or take a fifth. */
const GATED_MS = 1.2 * 1.5 * 30 * 60_000;

/** I4: when adversary and spec have come to rest, the API comes to the declared state, or the condition names what keeps it from there. */
export class EndJudge {
  readonly #court: Court;
  readonly #trails: Trails;
  readonly #notes: Notes;
  readonly #ledger: LedgerJudge;
  readonly #rightful: Rightful;
  readonly #pipes: PipesAtRest;

  constructor(
    court: Court,
    trails: Trails,
    seen: { readonly notes: Notes; readonly ledger: LedgerJudge; readonly repeats: RepeatJudge },
  ) {
    this.#court = court;
    this.#trails = trails;
    this.#notes = seen.notes;
    this.#ledger = seen.ledger;
    this.#rightful = new Rightful(court, trails, seen.repeats);
    this.#pipes = new PipesAtRest(court);
  }

  /** When those that are not as they should be will be tried again by their own account: times on the timeline. */
  openUntil(): number[] {
    const { life } = this.#court;
    return life.objects().flatMap(({ plural, thing }) => {
      const isRightful = this.#rightful.reasons(plural, thing).has(readyOf(thing)?.reason ?? '');
      if (isRightful && !this.#isOwed(plural, thing)) return [];
      const { nextAttemptTime, privateEndpoints = [] } = statusOf(thing);
      const times = [nextAttemptTime, ...privateEndpoints.map((entry) => entry.nextAttemptTime)];
      if (readyOf(thing)?.reason === 'Unauthorized' && nextAttemptTime === undefined)
        return [life.world.restAt + GATED_MS];
      return times.flatMap((time) => (time === undefined ? [] : [Date.parse(time) - life.wall + this.#clockMs()]));
    });
  }

  /** Whether something was refused that the API would take by now: it has a time of its own, whatever else is refused rightly. */
  #isOwed(plural: Plural, thing: Thing): boolean {
    if (plural !== 'organizations' || readyOf(thing)?.reason !== 'Rejected') return false;
    return !this.#rightful.cannotLook(thing) && this.#untaken(thing).length > 0;
  }

  /** What it declares that is not there, and that the API would take. */
  #untaken(thing: Thing): EndpointView[] {
    if (!this.#rightful.canAdd(thing)) return [];
    const present = this.#trails.present(this.#court.life.apiHost, targetOfSpec('organizations', specOf(thing)));
    const { privateEndpoints: declared = [] } = specOf(thing);
    const missing = declared.filter((one) => !present.some((instance) => instance.key === truthKey(one)));
    return missing.filter((endpoint) => this.#rightful.takes(thing, endpoint));
  }

  /** Where clocks have jumped, ten o'clock may be at eleven. */
  #clockMs(): number {
    const { clocksOffMs } = this.#court.life.fleet;
    return clocksOffMs === 0 ? 0 : clocksOffMs + 5 * 60_000;
  }

  end(): void {
    for (const { plural, thing } of this.#court.life.objects()) this.#judge(plural, thing);
    this.#judgeTargets();
  }

  #judge(plural: Plural, thing: Thing): void {
    const { namespace, name, generation, deletionTimestamp } = thing.metadata;
    const key = `${plural}/${namespace}/${name}`;
    const ready = readyOf(thing);
    if (deletionTimestamp !== undefined) {
      const since = this.#court.life.kube.now() - Date.parse(deletionTimestamp);
      const isHeld = since > DELETED_MS + this.#clockMs();
      // What was gone, and was brought back, too.
      if (isHeld && this.#court.isMissed(plural, thing)) this.#court.excuse(GIVEN_TWICE);
      else if (isHeld)
        this.#court.report(
          'I5 held-for-ever',
          key,
          `${key} is being deleted for ${Math.round(since / 60_000)} min: ${ready?.message}`,
        );
      return;
    }
    const reason = ready?.reason ?? 'none';
    const allowed = this.#rightful.reasons(plural, thing);
    const isUnseen = statusOf(thing).observedGeneration !== generation;
    const isMissed = this.#court.isMissed(plural, thing) || this.#court.isSecretMissed(thing, reason);
    if ((isUnseen || !allowed.has(reason)) && isMissed) {
      this.#court.excuse(GIVEN_TWICE);
      return;
    }
    if (isUnseen) {
      this.#court.report(
        'I4 unseen',
        key,
        `the status of ${key} speaks of generation ${statusOf(thing).observedGeneration}, not of ${generation}`,
      );
      return;
    }
    if (!allowed.has(reason)) {
      if (reason === 'NotConfirmed' && this.#court.isRenamedElsewhere(thing, targetOfSpec(plural, specOf(thing)))) {
        this.#court.excuse('two shards that give an organization another name in turn');
        return;
      }
      if (reason === 'NotConfirmed' && this.#court.isShownLater(thing, targetOfSpec(plural, specOf(thing)))) {
        this.#court.excuse('a name that is shown later than it is looked at');
        return;
      }
      this.#court.report(
        this.#ruleFor(plural, thing, reason),
        key,
        `${key} ends as ${reason}, and should be ${[...allowed].join(' or ')}: ${ready?.message}`,
      );
      return;
    }
    if (reason === 'Applied' && plural === 'pipesettings') this.#pipes.judge(key, thing);
    if (plural === 'organizations') this.#judgeOrganization(key, thing, reason);
  }

  /** What an object ends as that it should not end as, by what stands behind it most likely. */
  #ruleFor(plural: Plural, thing: Thing, reason: string): string {
    if (plural === 'activities' && statusOf(thing).activity !== undefined) return 'activity lost-ready';
    if (reason === 'TargetConflict') return 'held blocked';
    return plural === 'organizations' ? this.#oddly(thing, `I4 ${reason}`) : `I4 ${reason}`;
  }

  /** Where an API shows endpoints in its own spelling, or no list, that is what it is about. */
  #oddly(thing: Thing, rule: string): string {
    const { tuples, emptyLists, list } = this.#rightful.behaviour(thing);
    if (tuples !== undefined || this.#isSpelledOtherwise(thing)) return 'I4 spelled';
    if (emptyLists !== undefined) return 'I4 blind';
    return list === 'absent-when-empty' ? 'I4 unlisted' : rule;
  }

  /** Whether an endpoint that it declares is there in other letters. */
  #isSpelledOtherwise(thing: Thing): boolean {
    const { privateEndpoints: declared = [] } = specOf(thing);
    const present = this.#trails.present(this.#court.life.apiHost, targetOfSpec('organizations', specOf(thing)));
    return present.some(({ key, stored }) =>
      declared.some((one) => truthKey(one) === key && (one.id !== stored.id || one.region !== stored.region)),
    );
  }

  #judgeOrganization(key: string, thing: Thing, reason: string): void {
    const spec = specOf(thing);
    if (
      !['Applied', 'Rejected', 'Conflict'].includes(reason) ||
      this.#court.isOverruledElsewhere(thing, targetOfSpec('organizations', specOf(thing)))
    )
      return;
    // A change that the API has lost to another one at the same time was confirmed all the same.
    if (this.#rightful.behaviour(thing).concurrent === 'lost-update') return;
    const target = targetOfSpec('organizations', spec);
    const present = this.#trails.present(this.#court.life.apiHost, target);
    const kept = this.#untaken(thing).filter((endpoint) => !this.#wentSince(thing, endpoint));
    const isTaken = kept.some((endpoint) => this.#tookAnother(thing, endpoint));
    const rule = isTaken ? 'I4 overwritten' : this.#notThere(reason === 'Applied' ? 'I4 not-there' : 'I4 kept-out');
    // What keeps it from there is in the condition then, or `no-hint` says that it is not.
    const isBlind = reason === 'Rejected' && this.#rightful.cannotLook(thing);
    if (kept.length > 0 && !isBlind && !isFromBefore(thing, this.#court)) {
      this.#court.report(
        this.#oddly(thing, rule),
        key,
        `${key} says ${reason}, and ${names(kept)} that the API would take ${kept.length === 1 ? 'is' : 'are'} not there`,
      );
    }
    this.#judgeHint(key, thing);
    if (reason !== 'Applied') return;
    const actual = this.#court.life.api.organizations.of(spec.organizationId ?? '')?.name;
    const named = this.#lastNamed(target);
    const isNamed = spec.name === undefined || (named?.body as PatchView | undefined)?.name === spec.name;
    const isExcused = (): boolean => isFromBefore(thing, this.#court) || this.#cameTwice(named);
    if (!isNamed && !this.#rightful.changesNames(thing) && !isExcused()) {
      this.#court.report(
        named === undefined ? this.#notThere('I4 not-there') : 'I4 overwritten',
        key,
        `${key} says Applied with the name "${spec.name}", and the API has "${actual}"`,
      );
    }
    const uid = thing.metadata.uid;
    const left = present.filter(({ key: endpoint, stored, creator }) => {
      if (creator.by !== 'operator' || spec.privateEndpoints === undefined) return false;
      // A ledger that came back with a restore may be one from before it was added.
      if (creator.at <= (this.#court.life.restores.at(-1) ?? -1) && !this.#rightful.owns(thing, stored)) return false;
      if (spec.privateEndpoints.some((one) => truthKey(one) === endpoint)) return false;
      if (this.#wasHiddenTwice(target, { stored, creator })) return false;
      const isGivenUp = this.#notes.gaveUp(uid, stored.id) || this.#ledger.isLost(uid, stored, creator.at);
      if (isGivenUp && !this.#rightful.owns(thing, stored)) return false;
      const makers = this.#court.candidates(creator.call);
      return makers.length === 1 && makers[0]?.known.last.metadata.uid === uid;
    });
    if (left.length > 0)
      this.#court.report(
        this.#oddly(thing, 'I4 not-removed'),
        key,
        `${key} says Applied, and ${names(left.map(({ stored }) => stored))} that it had added and lists no more is still there`,
      );
  }

  /** Two looks a minute apart, and none between, lacked what was there all the time: that proves to any client that it is gone. */
  #wasHiddenTwice(target: string, { stored, creator }: Pick<Instance, 'stored' | 'creator'>): boolean {
    let misses: Look[] = [];
    for (const look of this.#trails.of(this.#court.life.apiHost, target).looks) {
      if (look.at < creator.at || !look.entries) continue;
      misses = isIn(look.entries, stored) ? [] : [...misses, look];
      if (!areTwice(misses)) continue;
      this.#court.excuse('hidden from two looks a minute apart');
      return true;
    }
    return false;
  }

  /** Something that was never there: where the operator has moved to another API it may have been at the first one. */
  #notThere(rule: string): string {
    const { life } = this.#court;
    return life.apiHost === life.firstApiHost ? rule : 'I4 other-api';
  }

  /** Whether another object's call took it away. */
  #tookAnother({ metadata, spec }: Thing, endpoint: EndpointView): boolean {
    const { instances } = this.#trails.of(this.#court.life.apiHost, targetOfSpec('organizations', spec as SpecView));
    const call = instances.findLast(({ key, gone }) => key === truthKey(endpoint) && gone)?.gone?.call;
    if (!call) return false;
    return !this.#court.candidates(call).some(({ known }) => known.last.metadata.uid === metadata.uid);
  }

  /**
   * Whether somebody else took it away after the last look for this object, or that one showed what was before; or took away what
   * was under its id in another place, which keeps it out: nobody can have told the operator.
   */
  #wentSince(thing: Thing, endpoint: EndpointView): boolean {
    const { instances, looks } = this.#trails.of(
      this.#court.life.apiHost,
      targetOfSpec('organizations', specOf(thing)),
    );
    const last = looks.findLast(
      ({ call, entries }) =>
        entries && this.#court.candidates(call).some(({ known }) => known.last.metadata.uid === thing.metadata.uid),
    );
    const key = truthKey(endpoint);
    const isStale = last?.entries !== undefined && isIn(last.entries, endpoint) && !last.truth.has(key);
    if (isStale) this.#court.excuse('a list from before somebody removed it');
    // The answer is that of the first time: nobody hears of what a call shows that is carried out once more.
    const seenAt = last?.call.executions[0]?.at ?? 0;
    return instances.some((one) => {
      if (!one.gone || one.gone.call) return false;
      if (one.key === key) return isStale || one.gone.at >= seenAt;
      // What came after that look has kept nothing out by then.
      const wasThere = last !== undefined && one.creator.at <= seenAt;
      return wasThere && sameId(one.stored, endpoint) && one.gone.at >= seenAt;
    });
  }

  /** The call that was the last to give a name, in the order in which the API carried them out. */
  #lastNamed(target: string): ApiCall | undefined {
    return this.#court.lastNamed.get(`${this.#court.life.apiHost} ${target}`);
  }

  /** It was confirmed, and carried out once more after that: no client hears of it. */
  #cameTwice(call: ApiCall | undefined): boolean {
    const { reply, executions } = call ?? { executions: [] };
    const last = executions.findLast(({ applied }) => applied);
    const isSo = call !== undefined && isSuccess(call) && (last?.at ?? 0) > (reply?.at ?? 0);
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

  /** Of several objects for one target at most one is Ready. */
  #judgeTargets(): void {
    const ready = new Map<string, { readonly key: string; readonly thing: Thing }[]>();
    for (const { plural, thing } of this.#court.life.objects()) {
      if (plural === 'activities' || readyOf(thing)?.reason !== 'Applied') continue;
      const target = targetOfSpec(plural, specOf(thing));
      const { namespace, name } = thing.metadata;
      ready.set(target, [...(ready.get(target) ?? []), { key: `${plural}/${namespace}/${name}`, thing }]);
    }
    for (const [target, both] of ready) {
      const [one, other] = both;
      if (!one || !other) continue;
      if (!this.#court.life.fleet.sees(one.thing.metadata.namespace, other.thing.metadata.namespace)) continue;
      this.#court.report('held two-ready', target, `${one.key} and ${other.key} both say Applied for ${target}`);
    }
  }
}

function names(endpoints: readonly EndpointView[]): string {
  return endpoints.map(({ id }) => id).join(', ');
}
