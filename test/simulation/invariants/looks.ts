import { isDeepStrictEqual } from 'node:util';
import type { Change, Thing } from '../kubernetes/objects.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import { type EndpointView, REQUESTED_AT, statusOf } from '../record/objects.ts';
import { type PatchView, shown } from './calls.ts';
import type { Court, Judge } from './court.ts';
import { isLook } from './messages.ts';
import { areTwice, isIn, isThere, type Look, type Trails } from './trail.ts';
import { asMeant } from './twice.ts';

/**
 * Between a look and the change that follows from it lie a status write and a slot, and no more
 * than that.
 */
const ATTEMPT_MS = 120_000;

/**
 * I1: no `add` leaves unless a look of the same attempt lacked it, and no `remove` unless one has
 * shown it.
 */
export class LookJudge implements Judge {
  readonly #court: Court;
  readonly #trails: Trails;
  /** By process and target: the last look was not answered with a list. */
  readonly #refused = new Set<string>();
  /**
   * By uid and what the user had said, and by uid and process: when a status was last written that
   * speaks of it, or by it.
   */
  readonly #spoken = new Map<string, number>();

  constructor(court: Court, trails: Trails) {
    this.#court = court;
    this.#trails = trails;
  }

  see(fact: Fact): void {
    if (fact.what === 'written') this.#speak(asMeant(fact.change, this.#court.life), fact.at);
    if (fact.what === 'answered' && isLook(fact.call)) {
      if (fact.call.reply?.status === 200) this.#refused.delete(viewOf(fact.call));
      else this.#refused.add(viewOf(fact.call));
    }
    if (fact.what !== 'leaves' || fact.call.method !== 'PATCH') return;
    const { call } = fact;
    const { add = [], remove = [] } = (call.body as PatchView).privateEndpoints ?? {};
    for (const endpoint of remove) this.#judgeRemove(call, endpoint);
    for (const endpoint of add) {
      const objection = this.#objectionTo(call, endpoint);
      if (objection !== undefined) {
        this.#court.report(
          `I1 ${objection}`,
          call.target,
          `${shown(call)} leaves, ${SAYS[objection]} ${endpoint.id}`,
        );
      }
    }
  }

  /**
   * A status that tells of no other request than before, as that of an object which waits, tells of
   * no look.
   */
  #speak({ by, before, now }: Change, at: number): void {
    if (by === 'user' || isDeepStrictEqual(statusOf(before).lastRequest, statusOf(now).lastRequest))
      return;
    const { observedGeneration, lastHandledReconcileAt = '' } = statusOf(now);
    for (const whose of [`${observedGeneration} ${lastHandledReconcileAt}`, by]) {
      this.#spoken.set(`${now.metadata.uid} ${whose}`, at);
    }
  }

  #objectionTo(call: ApiCall, endpoint: EndpointView): keyof typeof SAYS | undefined {
    const look = lookBefore(call, this.#trails);
    if (!look) return 'no-look';
    if (look.entries) return isIn(look.entries, endpoint) ? 'was-there' : undefined;
    const { changes } = this.#trails.of(call.host, call.target);
    const looks = this.#looksFor(call);
    const last = looks.findLast(
      ({ look, isIts }) => look.entries && isIts && !this.#isForgotten(look, call),
    )?.look;
    const isRemoved = (entry: Partial<EndpointView>): boolean =>
      changes.some(({ body, leftAt }) => {
        const { remove = [] } = (body as PatchView).privateEndpoints ?? {};
        return leftAt >= (last?.call.leftAt ?? 0) && remove.some(({ id }) => id === entry.id);
      });
    const hasShown = !(last?.entries ?? []).every(isRemoved);
    const isTwice = areTwice(looks.flatMap((one) => (one.look.entries ? [] : [one.look])));
    return !hasShown && isTwice ? undefined : 'no-look';
  }

  /**
   * An edit, a request to try now, or the end of its process, ended the attempt of this look before
   * a status told of it. It was made for one of several objects, as the call was: only the one that
   * calls says so in a status.
   */
  #isForgotten({ call: look, at }: Look, call: ApiCall): boolean {
    const [before = [], now = []] = [look, call].map((one) =>
      this.#court
        .candidates(one)
        .map(({ known }) => ({ uid: known.last.metadata.uid, word: wordOf(known.last) })),
    );
    if (before.length === 0) return false;
    const isTold = (uid: string, whose: string): boolean =>
      (this.#spoken.get(`${uid} ${whose}`) ?? Number.NEGATIVE_INFINITY) >= at;
    if (look.process !== call.process && !before.some(({ uid }) => isTold(uid, look.process)))
      return true;
    const isOther = before.some(
      ({ uid, word }) => now.find((one) => one.uid === uid)?.word !== word,
    );
    return isOther && !before.some(({ uid, word }) => isTold(uid, word));
  }

  /**
   * What the object that a call is for may have been shown, and whether it was no other's look:
   * what others saw is not told to it, and what it saw may be forgotten with a restore. Right after
   * one, nobody can say whose look it was, nor for which object the call is.
   */
  #looksFor(call: ApiCall): readonly { readonly look: Look; readonly isIts: boolean }[] {
    const uidsOf = (one: ApiCall): string[] =>
      this.#court
        .candidates(one)
        .flatMap(({ known: { thing } }) => (thing ? [thing.metadata.uid] : []));
    const mine = new Set(uidsOf(call));
    const isAnyones = this.#court.candidates(call).length === 0;
    const restoredAt = this.#court.life.restores.at(-1) ?? Number.NEGATIVE_INFINITY;
    const { looks } = this.#trails.of(call.host, call.target);
    return looks.flatMap((look) => {
      const uids = uidsOf(look.call);
      const isNobodys = this.#court.candidates(look.call).length === 0;
      const canBeIts = isNobodys || isAnyones || uids.some((uid) => mine.has(uid));
      if (look.at > call.leftAt || !canBeIts) return [];
      return [
        { look, isIts: !isNobodys && look.at > restoredAt && uids.every((uid) => mine.has(uid)) },
      ];
    });
  }

  /** What is being deleted is removed unseen where no look is possible. */
  #judgeRemove(call: ApiCall, endpoint: EndpointView): void {
    const look = lookBefore(call, this.#trails);
    if (look?.entries && isThere(look.entries, endpoint)) return;
    const isGoing = this.#court
      .candidates(call)
      .some(({ known }) => known.last.metadata.deletionTimestamp);
    if (isGoing && (!look || this.#refused.has(viewOf(call)))) return;
    this.#court.report(
      'I1 unseen',
      call.target,
      `${shown(call)} leaves, and no look of this attempt has shown ${endpoint.id}`,
    );
  }
}

const SAYS = {
  'no-look': 'and no look of this attempt has shown that the list lacks',
  'was-there': 'although the last look has shown',
} as const;

/** What the user has said of it. */
function wordOf({ metadata: { generation, annotations } }: Thing): string {
  return `${generation} ${annotations?.[REQUESTED_AT] ?? ''}`;
}

function viewOf({ process, target }: ApiCall): string {
  return `${process} ${target}`;
}

/** A change that has left, or may have. */
export type Departure = Pick<ApiCall, 'process' | 'host' | 'target' | 'leftAt'> &
  Partial<Pick<ApiCall, 'credential'>>;

/**
 * The look that a change was decided on: the last one of the process, not too long before the
 * change. While the API server does not answer, or the API wants to be left alone, an attempt
 * neither ends nor goes on: what it was shown before that is what it goes by.
 */
export function lookBefore(call: Departure, trails: Trails): Look | undefined {
  let from = call.leftAt;
  const look = lookShortlyBefore(call, trails);
  if (look) return look;
  for (const { at, call: refused } of trails.stallsOf(call.process).toReversed()) {
    if (at > from || from - at > ATTEMPT_MS || (refused && !isPausedBy(call, refused))) continue;
    from = at;
    const heldUp = lookShortlyBefore({ ...call, leftAt: from }, trails);
    if (heldUp) return heldUp;
  }
  return undefined;
}

/** The key is to be left alone; a refusal for the same target would have ended the attempt. */
function isPausedBy({ target, credential }: Departure, refused: ApiCall): boolean {
  return refused.credential.keyId === credential?.keyId && refused.target !== target;
}

/** The answer to a name may lack a list that the look had. */
function lookShortlyBefore(call: Departure, trails: Trails): Look | undefined {
  const { looks } = trails.of(call.host, call.target);
  const before = looks.filter(
    ({ at, call: look }) =>
      look.process === call.process && at <= call.leftAt && call.leftAt - at <= ATTEMPT_MS,
  );
  const isLooked = ({ call: look, entries }: Look): boolean =>
    entries !== undefined || (look.body as PatchView).name === undefined;
  const looked = before.findLast(isLooked);
  const named = before.at(-1);
  // The name goes between a look and the change, and may have to wait as long as the change.
  return looked ?? (named && (lookBefore({ ...call, leftAt: named.call.leftAt }, trails) ?? named));
}

/**
 * The look before an add with this id, where it lacked the id in any place: what comes under it
 * then counts as ours in other fields.
 */
export function lookLackingId(change: ApiCall, wanted: string, trails: Trails): Look | undefined {
  const isId = ({ id }: Partial<EndpointView>): boolean =>
    id?.trim().toLowerCase() === wanted.trim().toLowerCase();
  const { add = [] } = (change.body as PatchView).privateEndpoints ?? {};
  const before = add.some(isId) ? lookBefore(change, trails) : undefined;
  return before?.entries?.some(isId) ? undefined : before;
}
