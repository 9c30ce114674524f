import { type ApiCall, keyOf } from '../record/facts.ts';
import { type EndpointView, endpointKey, sameId } from '../record/objects.ts';
import type { PatchView } from './calls.ts';
import type { Court } from './court.ts';
import { type Intents, SURELY_OURS_MS } from './intents.ts';
import { type Departure, lookBefore, lookLackingId } from './looks.ts';
import { isLook } from './messages.ts';
import type { MissedByClockAhead } from './missed.ts';
import { type Instance, isIn, isThere, type Look, type Trails, truthKey } from './trail.ts';

/** How far an API may lag behind its own writes. */
const LAG_MS = 30_000;
/** Put back within this time, another's endpoint cannot be told from ours. */
export const PUT_BACK_MS = 120_000;
/** The look that settles comes at a whole second, and waits for its slot. */
const LATE_LOOK_MS = 15_000;
export const BROUGHT_BACK = 'a ledger from before it went, which a restore has brought back';
export const HIDDEN = 'hidden from the look before our add';

interface Removal {
  readonly call: ApiCall;
  readonly instance: Instance;
  /** All that went with it. */
  readonly gone: readonly Instance[];
}

/** What nobody can tell from the operator's own who has only seen what a process was shown. */
export class Mistakable {
  readonly #court: Court;
  readonly #trails: Trails;
  readonly #intents: Intents;
  readonly #missed: MissedByClockAhead;

  constructor(
    court: Court,
    trails: Trails,
    records: { readonly intents: Intents; readonly missed: MissedByClockAhead },
  ) {
    this.#court = court;
    this.#trails = trails;
    this.#intents = records.intents;
    this.#missed = records.missed;
  }

  /**
   * Why no client could have told that this endpoint, one of those that went with this call, was
   * not ours.
   */
  excuse(call: ApiCall, instance: Instance, gone: readonly Instance[]): string | undefined {
    if (isInPlace(call, instance) && this.#cameSinceLook(call, instance)) {
      return 'in the place of an add of ours, after the look';
    }
    if (isInPlaceOfOurs(call, instance) && this.#cameSinceLook(call, instance))
      return 'put in place of ours';
    const { instances } = this.#trails.of(call.host, call.target);
    const same = instances.filter(
      (other) => other !== instance && this.isShownAs(call, instance.stored, other.stored),
    );
    const own = same.filter((other) => this.#countsAsOurs(call, other));
    // What no client can tell from ours stands for ours in its turn.
    for (const other of same) {
      const isBefore = !own.includes(other) && other.creator.at < instance.creator.at;
      if (isBefore && this.#excuseBeside(own, { call, instance: other, gone }) !== undefined)
        own.push(other);
    }
    return this.#excuseBeside(own, { call, instance, gone });
  }

  /**
   * The same, or shown so by the list that this call was decided on: it leaves out wherein they
   * differ.
   */
  isShownAs(call: ApiCall, one: EndpointView, other: EndpointView): boolean {
    if (one.id !== other.id) return truthKey(one) === truthKey(other);
    if (truthKey(one) === truthKey(other)) return true;
    const { entries = [] } = lookBefore(call, this.#trails) ?? {};
    return entries.some((entry) => isThere([entry], one) && isThere([entry], other));
  }

  /** `own`: what counts as ours, and is the same to whoever goes by the list. */
  #excuseBeside(own: readonly Instance[], { call, instance, gone }: Removal): string | undefined {
    const { restores, timeline } = this.#court.life;
    const { looks } = this.#trails.of(call.host, call.target);
    const isTwin = (other: Instance): boolean =>
      endpointKey(other.stored) === endpointKey(instance.stored) &&
      other.creator.at <= timeline.now &&
      (other.gone === undefined || other.gone.at > instance.creator.at);
    const wentTogether = gone.includes(instance) && gone.some((other) => own.includes(other));
    if (own.some(isTwin) || wentTogether) return 'a twin of ours';
    for (const before of own) {
      const wentAt = before.gone?.at;
      if (wentAt === undefined || wentAt > instance.creator.at) continue;
      const isRestored = restores.some((at) => at >= wentAt && at <= call.leftAt);
      if (isRestored) return BROUGHT_BACK;
      const missed = looks.find((look) => {
        const { call: asked, at, entries } = look;
        const next = looks.find(
          (other) => other.call.process === asked.process && other.call.leftAt >= at,
        );
        const isMiss = at >= wentAt && entries && !isIn(entries, before.stored);
        return isMiss && this.#isKnownTo(call, asked) && !this.#isForgotten(look, next);
      });
      if (!missed || instance.creator.at <= missed.at + PUT_BACK_MS) return 'put in place of ours';
      if (this.#isSoonByRecord(call, before, instance))
        return 'put in place of ours, by a clock that was ahead';
    }
    return this.#excuseByAdd(call, instance);
  }

  /**
   * What another shard is shown, or a process that is gone before it has put it on record, is
   * unknown to those that keep the ledger.
   */
  #isKnownTo(call: ApiCall, look: ApiCall): boolean {
    if (this.isElsewhere(call, look)) return false;
    const isTold = this.#court
      .objectsOf(call)
      .some(({ metadata }) => this.#court.isTold(look, metadata.uid));
    return look.process === call.process || isTold;
  }

  /**
   * Whether it came so soon after ours was Missing by all that the process knew which was shown it
   * first.
   */
  #isSoonByRecord(call: ApiCall, { key }: Instance, instance: Instance): boolean {
    const process = this.#shownTo(call, instance);
    if (process === undefined) return false;
    const times = this.#court
      .objectsOf(call)
      .flatMap(({ metadata }) => this.#missed.times(process, metadata.uid, key));
    return times.some((since) => instance.creator.at <= since + PUT_BACK_MS);
  }

  /** Which process was shown it first, of those that keep the ledger, and lived to say so. */
  #shownTo(call: ApiCall, { stored, creator }: Instance): string | undefined {
    const { looks } = this.#trails.of(call.host, call.target);
    const shown = looks.find(
      ({ call: look, at, entries }) =>
        at >= creator.at && entries && isIn(entries, stored) && this.#isKnownTo(call, look),
    );
    return shown?.call.process;
  }

  /**
   * It came when an add of ours was on its way, or was about to be: nobody can tell the two apart.
   */
  #excuseByAdd(call: ApiCall, instance: Instance): string | undefined {
    const adds = this.addsOf(call, instance);
    for (const [index, add] of adds.entries()) {
      const look = lookBefore(add, this.#trails);
      if (!look?.entries || isIn(look.entries, instance.stored)) continue;
      const settledAt = this.#settledAt(add, instance, adds[index + 1]?.leftAt ?? call.leftAt);
      const seenAt = look.call.executions[0]?.at ?? look.at;
      if (instance.creator.at >= seenAt - LAG_MS && instance.creator.at <= settledAt)
        return 'added together with ours';
    }
    if (this.isHidden(call, instance)) return HIDDEN;
    return (
      this.#excuseByItsId(call, instance) ??
      (this.#cameWithIntent(call, instance)
        ? 'added while an intent to add it was on record'
        : undefined)
    );
  }

  /**
   * An add of ours has its id, which the look before lacked, and the answer shows it: it counts as
   * ours in other fields.
   */
  #excuseByItsId(call: ApiCall, instance: Instance): string | undefined {
    const { key, stored, creator } = instance;
    for (const change of this.#changesOf(call, instance)) {
      const before = lookLackingId(change, stored.id, this.#trails);
      if (!before) continue;
      const seenAt = before.call.executions[0]?.at ?? before.at;
      const isBetween =
        creator.at >= seenAt - LAG_MS && creator.at <= (change.reply?.at ?? change.leftAt);
      if (isBetween) return 'came with our add under its id';
      if (before.truth.has(key) && isIn(this.#shownBy(change) ?? [], stored)) return HIDDEN;
    }
    return undefined;
  }

  /** Nothing but the add itself comes after the look that lacked it. */
  #cameSinceLook(call: ApiCall, { stored, creator }: Instance): boolean {
    const look = lookBefore(call, this.#trails);
    if (!look || isIn(look.entries ?? [], stored)) return false;
    return creator.at >= (look.call.executions[0]?.at ?? look.at) - LAG_MS;
  }

  /**
   * Whether nobody who can have made the one call sees those who can have made the other, or did
   * when it was made: shards are merged.
   */
  isElsewhere(call: ApiCall, other: ApiCall): boolean {
    const { fleet, knowledge, restores } = this.#court.life;
    const known = knowledge.of(other.process);
    const theirs = this.#court.objectsOf(other);
    return this.#court.objectsOf(call).every((mine) => {
      // What a process had been told is forgotten with a restore.
      if (restores.length === 0 && !known.has(keyOf('organizations', mine))) return true;
      const { namespace } = mine.metadata;
      return theirs.every((one) => !fleet.sees(namespace, one.metadata.namespace));
    });
  }

  /** What the operator added, and what nobody can tell from that. */
  #countsAsOurs(call: ApiCall, other: Instance): boolean {
    if (this.#cameWithIntent(call, other)) return true;
    return other.creator.by === 'operator' && !this.isElsewhere(call, other.creator.call);
  }

  #cameWithIntent(call: ApiCall, instance: Instance): boolean {
    const { stored, creator } = instance;
    const isIt = (endpoint: EndpointView): boolean => this.isShownAs(call, stored, endpoint);
    const coming = { at: creator.at, shownTo: this.#shownTo(call, instance) };
    return this.#court
      .objectsOf(call)
      .some(({ metadata }) => this.#intents.wasOpen(metadata.uid, isIt, coming));
  }

  /**
   * Until then an add may be at work: one that was taken and is not in the list, too. For a process
   * that has not sent it, so long after it was told of it; after a restore that brings it back when
   * it was over, for any. `nextAt`: when the next one left.
   */
  #settledAt(add: ApiCall, { key, stored }: Instance, nextAt: number): number {
    const { reply, leftAt, process } = add;
    const shown = this.#shownBy(add);
    const isOver =
      reply !== undefined && (reply.status >= 400 || (shown !== undefined && isIn(shown, stored)));
    if (isOver)
      return this.#firstLookAfter(add, process, { settledAt: reply.at, until: 0, answer: add });
    const { restores, atWorkMs } = this.#court.life;
    const toldFrom = (from: number): [string, number][] =>
      this.#court
        .objectsOf(add)
        .flatMap(({ metadata }) => [
          ...this.#intents.firstSights(metadata.uid, key, { from, to: nextAt }),
        ]);
    const toOthers = toldFrom(leftAt).filter(([other]) => other !== process);
    const again = restores.filter((at) => at > leftAt + atWorkMs).flatMap(toldFrom);
    const since = [[process, leftAt] as const, ...toOthers, ...again];
    const until = leftAt + SURELY_OURS_MS;
    return Math.max(
      ...since.map(([who, at]) =>
        this.#firstLookAfter(add, who, { settledAt: at + atWorkMs, until }),
      ),
    );
  }

  /**
   * What an add has left open is settled by the first list that was asked for after that, or is the
   * `answer` to it, some seconds at most; or until then, where looks fail.
   */
  #firstLookAfter(
    { host, target }: ApiCall,
    process: string,
    {
      settledAt,
      until,
      answer,
    }: { readonly settledAt: number; readonly until: number; readonly answer?: ApiCall },
  ): number {
    const { looks } = this.#trails.of(host, target);
    const own = looks.filter(
      ({ call, entries }) =>
        (call === answer || call.leftAt >= settledAt) &&
        entries !== undefined &&
        call.process === process,
    );
    const look = own.find((one, index) => !this.#isForgotten(one, own[index + 1])) ?? own.at(-1);
    const seenAt = look?.call.executions[0]?.at ?? settledAt;
    return seenAt <= Math.max(settledAt + LATE_LOOK_MS, until)
      ? Math.max(seenAt, settledAt)
      : settledAt;
  }

  /**
   * An attempt that ends between a look and what would follow takes the answer with it: the next
   * one looks again, and nothing was told.
   */
  #isForgotten({ call, at }: Look, next: Look | undefined): boolean {
    if (!next || !isLook(next.call) || (next.call.body as PatchView).name !== undefined)
      return false;
    const window = { from: at, to: next.call.leftAt };
    return this.#court
      .objectsOf(call)
      .every(({ metadata }) => !this.#intents.hasTold(call.process, metadata.uid, window));
  }

  #shownBy(change: ApiCall): Look['entries'] {
    return this.#trails.of(change.host, change.target).looks.find(({ call }) => call === change)
      ?.entries;
  }

  /**
   * Whether an add of ours followed from a look that lacked what was there; or may have, for all
   * that the next process can know.
   */
  isHidden(call: ApiCall, instance: Instance): boolean {
    const { host, target } = call;
    const left = this.#court
      .objectsOf(call)
      .flatMap(({ metadata }) => this.#intents.inherited(metadata.uid, instance.key))
      .map(({ by, from }) => ({ host, target, process: by, leftAt: from }))
      .filter(({ leftAt }) => leftAt < (instance.gone?.at ?? call.leftAt));
    return [...this.addsOf(call, instance), ...left].some((add) => this.wasHidden(add, instance));
  }

  /** Whether the look before an add lacked what was there. */
  wasHidden(add: Departure, instance: Instance): boolean {
    const look = lookBefore(add, this.#trails);
    return (
      look !== undefined &&
      !isIn(look.entries ?? [], instance.stored) &&
      look.truth.has(instance.key)
    );
  }

  /** Adds of this endpoint that left before, for an object that this removal can be for. */
  addsOf(call: ApiCall, instance: Instance): ApiCall[] {
    return this.#changesOf(call, instance).filter((change) => {
      const { add = [] } = (change.body as PatchView).privateEndpoints ?? {};
      return add.some((endpoint) => this.isShownAs(call, endpoint, instance.stored));
    });
  }

  /** What left when it was gone already has nothing to do with it. */
  #changesOf(call: ApiCall, { gone }: Instance): ApiCall[] {
    const mine = new Set(this.#court.objectsOf(call).map(({ metadata }) => metadata.uid));
    return this.#trails
      .of(call.host, call.target)
      .changes.filter(
        (change) =>
          change.leftAt < Math.min(call.leftAt, gone?.at ?? call.leftAt) &&
          this.#court.objectsOf(change).some(({ metadata }) => mine.has(metadata.uid)),
      );
  }
}

/**
 * Where an API goes by ids alone, in whatever letters it keeps them, an add puts its endpoint in
 * the place of another.
 */
export function isInPlace(call: ApiCall, { stored }: Instance): boolean {
  const { add = [] } = (call.body as PatchView).privateEndpoints ?? {};
  return add.some((endpoint) => sameId(endpoint, stored));
}

/**
 * Where an API goes by ids alone, a remove takes what has come with other fields under the id of
 * ours.
 */
function isInPlaceOfOurs(call: ApiCall, { key, stored }: Instance): boolean {
  const { remove = [] } = (call.body as PatchView).privateEndpoints ?? {};
  return remove.some((endpoint) => endpoint.id === stored.id && truthKey(endpoint) !== key);
}
