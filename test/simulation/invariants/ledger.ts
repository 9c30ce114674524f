import type { Change, Thing } from '../kubernetes/objects.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import {
  type EndpointView,
  type LedgerView,
  readyOf,
  type SpecView,
  specOf,
  statusOf,
  targetOfSpec,
} from '../record/objects.ts';
import type { PatchView } from './calls.ts';
import { type Court, isSuccess, type Judge } from './court.ts';
import { type Dropped, EVENT_MS, onRecord } from './dropped.ts';
import type { Heard } from './heard.ts';
import { lookLackingId } from './looks.ts';
import type { Notes } from './notes.ts';
import { areTwice, isIn, isThere, type Trails, truthKey } from './trail.ts';
import { asMeant } from './twice.ts';

interface Loss {
  readonly at: number;
  readonly subject: string;
  readonly uid: string;
  readonly entry: LedgerView;
  readonly now: LedgerView | undefined;
  /** Who wrote it so. */
  readonly by: string;
  readonly why: 'one-look' | 'handed-over' | 'unproven' | 'given-up';
  /** The version of the object that was written so. */
  readonly version: Thing;
}

/**
 * I3: whatever is ours leaves the ledger only by proven absence, or with an event that names it;
 * and nothing gets into it as ours that this object never added or adopted.
 */
export class LedgerJudge implements Judge {
  readonly #court: Court;
  readonly #trails: Trails;
  readonly #notes: Notes;
  /** Since when each entry is ours, by uid and endpoint. */
  readonly #since = new Map<string, number>();
  readonly #losses: Loss[] = [];
  /**
   * When each entry has left the ledger without proof, by uid and endpoint: told, excused or to be
   * reported.
   */
  readonly #lostAt = new Map<string, number>();
  /** By uid: what was ever on record to be added. */
  readonly #intents = new Map<string, Set<string>>();
  /** Uid and generation of every spec that adopts what is there. */
  readonly #adopting = new Set<string>();
  readonly #heard: Heard;
  readonly #dropped: Dropped;

  constructor(
    court: Court,
    trails: Trails,
    seen: { readonly notes: Notes; readonly heard: Heard; readonly dropped: Dropped },
  ) {
    this.#court = court;
    this.#trails = trails;
    this.#notes = seen.notes;
    this.#heard = seen.heard;
    this.#dropped = seen.dropped;
  }

  see(fact: Fact): void {
    if (fact.what !== 'written' || fact.change.kind.plural !== 'organizations') return;
    const { change } = fact;
    const { uid, generation } = change.now.metadata;
    // A cluster that was restored gives the numbers of generations once more.
    if (specOf(change.now).adoptPrivateEndpoints === true)
      this.#adopting.add(`${uid} ${generation}`);
    else this.#adopting.delete(`${uid} ${generation}`);
    if (change.type !== 'MODIFIED' || !change.before || change.by === 'user') return;
    const meant = asMeant(change, this.#court.life);
    // What a deletion leaves behind is another invariant's.
    if (meant.now.metadata.deletionTimestamp !== undefined) return;
    if (meant !== change) this.#overwrite(change, change.before);
    this.#compare(meant, meant.before ?? change.before, change.now);
  }

  /** Events come a little later than the status that they speak of. */
  end(): void {
    for (const { at, subject, uid, entry, now, by, why, version } of this.#losses) {
      if (this.#heard.wasGone(version)) {
        this.#court.excuse(
          'of an object, or by a writer, that was gone before the writer knew whether it was written',
        );
        continue;
      }
      if (this.#notes.diedWithin(by, { from: at, withinMs: EVENT_MS })) {
        this.#court.excuse('written by a process that died before it could tell');
        continue;
      }
      if (this.#notes.names(uid, entry.id, { from: at, withinMs: EVENT_MS }) === 'yes') continue;
      const became = now ? `became ${now.origin}` : 'left the ledger';
      const text = `${entry.id} of ${subject}, which was ${entry.origin}, ${became} ${SAYS[why]}, and no event names it`;
      this.#court.report(`I3 ${why}`, subject, text, at);
    }
  }

  /**
   * Whether an endpoint has ceased to be an object's since then: without proof (whether that was
   * told is judged here), with its adoption, or by a status that let go of it, or of the intent to
   * add it, and whose writer was gone before it could tell.
   */
  isLost(uid: string, endpoint: EndpointView, since: number): boolean {
    const key = truthKey(endpoint);
    if ((this.#lostAt.get(`${uid} ${key}`) ?? -1) >= since) return true;
    const isUntold = this.#dropped.isUntold(uid, key, since);
    if (isUntold) this.#court.excuse('written by a process that died before it could tell');
    return isUntold;
  }

  /**
   * Its writer knew nothing of what stood there: what it has let go of with that, it cannot tell.
   */
  #overwrite({ now }: Change, before: Thing): void {
    this.#court.excuse('on top of a version that a restore has given twice');
    const { now: at } = this.#court.life.timeline;
    const kept = onRecord(now);
    for (const key of onRecord(before))
      if (!kept.has(key)) this.#lostAt.set(`${now.metadata.uid} ${key}`, at);
  }

  #compare({ now, by }: Change, before: Thing, version: Thing): void {
    const { uid, namespace, name } = now.metadata;
    const host = this.#court.life.fleet.apiHostOf(by);
    const subject = `organizations/${namespace}/${name}`;
    const intents = this.#intents.get(uid) ?? new Set<string>();
    this.#intents.set(uid, intents);
    for (const endpoint of statusOf(before).pendingChange?.add ?? [])
      intents.add(truthKey(endpoint));
    const old = new Map(ours(before).map((entry) => [truthKey(entry), entry]));
    const present = new Map(
      (statusOf(now).privateEndpoints ?? []).map((entry) => [truthKey(entry), entry]),
    );
    // A status may speak of an older spec than that on top of which it is written.
    const { observedGeneration } = statusOf(now);
    const isOfNow = observedGeneration === now.metadata.generation;
    const isAdopting = isOfNow
      ? specOf(now).adoptPrivateEndpoints === true
      : this.#adopting.has(`${uid} ${observedGeneration}`);
    for (const [key, entry] of old) {
      const left = present.get(key);
      if (left?.origin === 'Added' || left?.origin === 'Adopted') continue;
      if (entry.origin === 'Adopted' && !isAdopting) {
        this.#lostAt.set(`${uid} ${key}`, this.#court.life.timeline.now);
        continue;
      }
      // What it had taken over from another object was never its own.
      const why = this.#isProvenOurs(before, entry) ? this.#objection(now, entry, host) : undefined;
      if (why) this.#lostAt.set(`${uid} ${key}`, this.#court.life.timeline.now);
      if (why && this.#notes.isDead(by))
        this.#court.excuse('written by a process that died before it could tell');
      else if (why) {
        const { now: at } = this.#court.life.timeline;
        this.#losses.push({ at, subject, uid, entry, now: left, by, why, version });
      }
    }
    for (const entry of ours(now)) {
      const key = truthKey(entry);
      if (old.has(key)) continue;
      this.#since.set(`${uid} ${key}`, this.#court.life.timeline.now);
      if (isOfNow && !this.#mayClaim(now, entry) && !this.#cameUnderItsId(now, entry, host)) {
        const reason = readyOf(now)?.reason;
        const rule =
          reason === 'TargetConflict' || reason === 'Suspended' ? 'held inherits' : 'I3 claims';
        this.#court.report(
          rule,
          subject,
          `${by} records ${entry.id} as ${entry.origin} by ${subject}, which never asked for it`,
        );
      }
    }
  }

  /**
   * Why the ledger may not let go of an entry of ours, by the API that its writer works with;
   * undefined where it may.
   */
  #objection(thing: Thing, entry: LedgerView, host: string): Loss['why'] | undefined {
    const trail = this.#trails.of(host, targetOfSpec('organizations', specOf(thing)));
    // What a shard that does not see the object is shown, or sends, is unknown to those that keep
    // its ledger.
    const isOfKeepers = ({ process }: ApiCall): boolean =>
      this.#court.life.fleet.isSeenBy(process, thing.metadata.namespace);
    const looks = trail.looks.filter(({ call }) => isOfKeepers(call));
    const changes = trail.changes.filter(isOfKeepers);
    const since = this.#since.get(`${thing.metadata.uid} ${truthKey(entry)}`) ?? 0;
    const lacking = looks.filter(
      ({ at, entries }) => at >= since && entries && !isThere(entries, entry),
    );
    const lastSeen =
      looks.findLast(({ at, entries }) => at >= since && entries && isThere(entries, entry))?.at ??
      0;
    const misses = lacking.filter(({ at }) => at > lastSeen);
    const removal = changes.findLast(
      (call) =>
        call.leftAt >= since &&
        ((call.body as PatchView).privateEndpoints?.remove ?? []).some(
          (one) => truthKey(one) === truthKey(entry),
        ),
    );
    const removedAt = removal?.leftAt;
    // The answer to a removal settles it, or after a success the first list without it, or the
    // first that is asked for when it is no longer at work, whatever comes after; what a lost one
    // has done until then, only a list that comes last.
    const takenAt = removal && isSuccess(removal) ? (removal.reply?.at ?? Infinity) : Infinity;
    const overAt = (removedAt ?? Infinity) + this.#court.life.atWorkMs;
    if (lacking.some(({ call, at }) => call === removal || at >= takenAt || call.leftAt >= overAt))
      return undefined;
    if (removedAt !== undefined && misses.some(({ at }) => at >= removedAt)) return undefined;
    // An API that leaves out an empty list: two looks without one count as empty after a removal.
    const unlisted = looks.filter(
      ({ at, entries }) => at >= Math.max(removedAt ?? Infinity, lastSeen) && !entries,
    );
    if (areTwice(unlisted)) return undefined;
    if (areTwice(misses)) return undefined;
    if (entry.state === 'Unconfirmed') return 'given-up';
    if (readyOf(thing)?.reason === 'TargetConflict') return 'handed-over';
    return misses.length > 0 ? 'one-look' : 'unproven';
  }

  /**
   * Whether it can only be this object's: by an add, or by a look that adopted it, that no other
   * object can have made.
   */
  #isProvenOurs({ metadata, spec }: Thing, entry: LedgerView): boolean {
    const isIts = (call: ApiCall): boolean => {
      const candidates = this.#court.candidates(call);
      return candidates.length === 1 && candidates[0]?.known.last.metadata.uid === metadata.uid;
    };
    return [...this.#hosts()].some((host) => {
      const { looks, changes } = this.#trails.of(
        host,
        targetOfSpec('organizations', spec as SpecView),
      );
      if (entry.origin === 'Adopted') {
        return looks.some(({ call, entries }) => entries && isIn(entries, entry) && isIts(call));
      }
      return changes.some((call) => asksFor(call, entry) && isIts(call));
    });
  }

  /** Whether the object can own it: by an add of its own, or by adopting what its spec lists. */
  #mayClaim(thing: Thing, entry: LedgerView): boolean {
    const spec = specOf(thing);
    if (entry.origin === 'Adopted') return spec.adoptPrivateEndpoints === true;
    const target = targetOfSpec('organizations', spec);
    const { uid } = thing.metadata;
    // What was on record may have left, and nobody but the API knows.
    if (this.#intents.get(uid)?.has(truthKey(entry))) return true;
    return [...this.#hosts()].some((host) =>
      this.#trails
        .of(host, target)
        .changes.some(
          (call) =>
            asksFor(call, entry) &&
            this.#court.candidates(call).some(({ known }) => known.last.metadata.uid === uid),
        ),
    );
  }

  /**
   * An add has its id, the look before it lacked the id, and the reply shows this: that the API
   * keeps what it was sent in other fields, no client can tell from somebody else's.
   */
  #cameUnderItsId(thing: Thing, entry: LedgerView, host: string): boolean {
    const { looks, changes } = this.#trails.of(host, targetOfSpec('organizations', specOf(thing)));
    const isIts = (call: ApiCall): boolean =>
      this.#court
        .candidates(call)
        .some(({ known }) => known.last.metadata.uid === thing.metadata.uid);
    const isSo = changes.some((call) => {
      const before = isIts(call) ? lookLackingId(call, entry.id, this.#trails) : undefined;
      const after = looks.find((look) => look.call === call)?.entries;
      return before?.entries !== undefined && after !== undefined && isThere(after, entry);
    });
    if (isSo) this.#court.excuse('came with our add under its id');
    return isSo;
  }

  #hosts(): Set<string> {
    return new Set([this.#court.life.apiHost, this.#court.life.firstApiHost]);
  }
}

const SAYS: Readonly<Record<Loss['why'], string>> = {
  'one-look': 'after a single look that lacked it',
  'handed-over': 'because another object holds the organization',
  'given-up': 'before two looks had lacked it',
  unproven: 'although no look had lacked it',
};

/** Whether a call would add this endpoint. */
function asksFor({ body }: ApiCall, endpoint: LedgerView): boolean {
  const { add = [] } = (body as PatchView).privateEndpoints ?? {};
  return add.some((one) => truthKey(one) === truthKey(endpoint));
}

function ours(thing: Thing): LedgerView[] {
  return (statusOf(thing).privateEndpoints ?? []).filter(
    ({ origin, state }) => (origin === 'Added' || origin === 'Adopted') && state !== 'Refused',
  );
}
