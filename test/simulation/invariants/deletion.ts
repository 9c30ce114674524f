import type { Change, Thing } from '../kubernetes/objects.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import { type EndpointView, specOf, statusOf, targetOfSpec } from '../record/objects.ts';
import type { PatchView } from './calls.ts';
import type { Court, Judge } from './court.ts';
import { type Dropped, EVENT_MS, onRecord } from './dropped.ts';
import type { Notes } from './notes.ts';
import { type Instance, isIn, readEntries, type Trails, truthKey } from './trail.ts';

interface Ended {
  readonly at: number;
  /** Who took the finalizer off. */
  readonly by: string;
  readonly key: string;
  readonly uid: string;
  readonly target: string;
  readonly host: string;
  readonly adopted: ReadonlySet<string>;
  /** What its status had as its own when it went. */
  readonly ours: ReadonlySet<string>;
  /** What its status said was being added when it went. */
  readonly pending: ReadonlySet<string>;
  /** All that its status had as its own, or as being added or removed, when it went. */
  readonly onRecord: ReadonlySet<string>;
  /** When that was written down. */
  readonly pendingSince: number;
  /** The API knew nothing of the organization when it was last asked. */
  readonly isUnknown: boolean;
  /** What other objects listed then: that stays. */
  readonly spared: ReadonlySet<string>;
}

const SAYS = {
  added: 'added',
  adopted: 'adopted',
  pending: 'on record as being added',
  spelled: 'added in other letters',
} as const;

/** Something of ours that is still there, and how it came to be ours. */
interface Left {
  readonly id: string;
  readonly key: string;
  readonly what: keyof typeof SAYS;
}

/** I5: after `RemovePrivateEndpoints` nothing of ours is left at the API, or an event names it. */
export class DeletionJudge implements Judge {
  readonly #court: Court;
  readonly #trails: Trails;
  readonly #notes: Notes;
  readonly #dropped: Dropped;
  readonly #ended: Ended[] = [];
  /** By uid and endpoint: when its adoption was last taken back. */
  readonly #disowned = new Map<string, number>();
  /** By target: what the API answered last. */
  readonly #answers = new Map<string, number>();

  constructor(
    court: Court,
    trails: Trails,
    seen: { readonly notes: Notes; readonly dropped: Dropped },
  ) {
    this.#court = court;
    this.#trails = trails;
    this.#notes = seen.notes;
    this.#dropped = seen.dropped;
  }

  see(fact: Fact): void {
    if (fact.what === 'answered') this.#answers.set(fact.call.target, fact.call.reply?.status ?? 0);
    if (fact.what !== 'written' || fact.change.kind.plural !== 'organizations') return;
    this.#disown(fact.change, fact.at);
    if (fact.change.type === 'DELETED' && fact.change.before) this.#remember(fact.change, fact.at);
  }

  end(): void {
    for (const ended of this.#ended) {
      for (const { id, key, what } of this.#left(ended)) {
        // The ledger had let go of it, and an event had said so.
        if (!ended.ours.has(key) && !ended.pending.has(key) && this.#notes.gaveUp(ended.uid, id))
          continue;
        const diedFirst = this.#notes.diedWithin(ended.by, { from: ended.at, withinMs: EVENT_MS });
        if (diedFirst || this.#wasDroppedUntold(ended, key)) {
          this.#court.excuse('written by a process that died before it could tell');
          continue;
        }
        const named = this.#notes.names(ended.uid, id, { from: ended.at, withinMs: EVENT_MS });
        if (named === 'yes') continue;
        const rule = ended.isUnknown ? 'I5 left-unknown' : `I5 left-${what}`;
        this.#court.report(
          named === 'cut' ? 'I5 cut-short' : rule,
          ended.key,
          `${ended.key} is let go, ${id} that it had ${SAYS[what]} is still at the API, and no event names it`,
          ended.at,
        );
      }
    }
  }

  /**
   * What was adopted is the object's no more when its spec adopts nothing and a status says so, or
   * none comes any more.
   */
  #disown({ type, now, before }: Change, at: number): void {
    if (specOf(now).adoptPrivateEndpoints === true) return;
    const kept = new Set(type === 'DELETED' ? [] : adoptedIn(now));
    for (const key of before ? adoptedIn(before) : []) {
      if (!kept.has(key)) this.#disowned.set(`${now.metadata.uid} ${key}`, at);
    }
  }

  /** A status let go of it before, and no event could tell. */
  #wasDroppedUntold({ uid, onRecord: standing }: Ended, key: string): boolean {
    return !standing.has(key) && this.#dropped.isUntold(uid, key, 0);
  }

  #remember({ now, before, by }: Change, at: number): void {
    const last = before ?? now;
    const spec = specOf(last);
    // Without the finalizer on the day of its deletion the operator had no say in it.
    const wasHeld = last.metadata.deletionTimestamp !== undefined;
    if (
      spec.deletionPolicy !== 'RemovePrivateEndpoints' ||
      !wasHeld ||
      this.#court.life.restores.length > 0
    )
      return;
    const { namespace, name, uid } = now.metadata;
    const ledger = statusOf(last).privateEndpoints ?? [];
    const adopted = spec.adoptPrivateEndpoints ? adoptedIn(last) : [];
    const added = ledger
      .filter(({ origin, state }) => origin === 'Added' && state !== 'Refused')
      .map(truthKey);
    const target = targetOfSpec('organizations', spec);
    this.#ended.push({
      at,
      by,
      key: `organizations/${namespace}/${name}`,
      uid,
      target,
      host: this.#court.life.fleet.apiHostOf(by),
      adopted: new Set(adopted),
      ours: new Set([...added, ...adopted]),
      pending: new Set((statusOf(last).pendingChange?.add ?? []).map(truthKey)),
      onRecord: onRecord(last),
      pendingSince: Date.parse(statusOf(last).pendingChange?.time ?? '') - this.#court.life.wall,
      isUnknown: this.#answers.get(target) === 404,
      spared: this.#listedByOthers(target, uid),
    });
  }

  #listedByOthers(target: string, uid: string): Set<string> {
    const listed = new Set<string>();
    for (const thing of this.#court.life.objectsOf('organizations')) {
      if (thing.metadata.uid === uid || targetOfSpec('organizations', specOf(thing)) !== target)
        continue;
      for (const endpoint of specOf(thing).privateEndpoints ?? []) listed.add(truthKey(endpoint));
    }
    return listed;
  }

  #left(ended: Ended): Left[] {
    const { target, host, uid, adopted, ours, pending, pendingSince, spared, at } = ended;
    return this.#trails.present(host, target).flatMap((instance) => {
      const { key, stored, creator } = instance;
      if (spared.has(key)) return [];
      if (creator.by === 'operator') {
        // A restore has brought the object back, and it went on.
        if (creator.call.leftAt > at) return [];
        const isDisowned = (this.#disowned.get(`${uid} ${key}`) ?? -1) >= creator.at;
        if (isDisowned && !ours.has(key) && !pending.has(key)) return [];
        if (this.#trails.cameAgain(host, target, instance)) return [];
        if (this.#wasRemoved(ended, instance)) {
          this.#court.excuse('removed, and back with a change of somebody else that was under way');
          return [];
        }
        const makers = this.#court
          .candidates(creator.call)
          .map(({ known }) => known.last.metadata.uid);
        // Where several objects can have made the call, it is not certain that it was this one.
        if (makers.length !== 1 || makers[0] !== uid) return [];
        const isUnseen = { isPending: pending.has(key), until: at };
        if (!ours.has(key) && this.#trails.isStoredUnseen(host, target, instance, isUnseen))
          return [];
        if (isSpelledOtherwise(stored, creator.call)) return [said(stored, 'spelled')];
        // One that was there before the intent was lost by the ledger, not by the intent.
        const isOfIntent = pending.has(key) && creator.call.leftAt >= pendingSince - 1_000;
        return [said(stored, isOfIntent ? 'pending' : 'added')];
      }
      return adopted.has(key) && creator.at < at ? [said(stored, 'adopted')] : [];
    });
  }

  /**
   * Whether it was gone, and the answer to its removal showed so: another change at the same time
   * may bring it back unseen.
   */
  #wasRemoved({ target, host, at }: Ended, { stored, creator }: Instance): boolean {
    return this.#trails.of(host, target).instances.some(({ creator: before, gone }) => {
      const { result, at: answeredAt = at } = gone?.call?.reply ?? {};
      const entries = readEntries(result?.privateEndpoints);
      return (
        before === creator && answeredAt < at && entries !== undefined && !isIn(entries, stored)
      );
    });
  }
}

function adoptedIn(thing: Thing): string[] {
  return (statusOf(thing).privateEndpoints ?? [])
    .filter(({ origin }) => origin === 'Adopted')
    .map(truthKey);
}

/** Whether the API keeps it in other letters than it was sent in. */
function isSpelledOtherwise({ id, region }: EndpointView, { body }: ApiCall): boolean {
  const { add = [] } = (body as PatchView).privateEndpoints ?? {};
  return !add.some((sent) => sent.id === id && sent.region === region);
}

function said(endpoint: EndpointView, what: Left['what']): Left {
  return { id: endpoint.id, key: truthKey(endpoint), what };
}
