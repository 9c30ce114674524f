import { isDeepStrictEqual } from 'node:util';
import type { Thing } from '../kubernetes/objects.ts';
import type { Fact } from '../record/facts.ts';
import { type EndpointView, statusOf } from '../record/objects.ts';
import type { Judge } from './court.ts';
import { truthKey } from './trail.ts';

/** How far an API may lag behind its own writes. */
const LAG_MS = 30_000;
/**
 * What is seen so soon after an intent was written is taken for what it left, where nobody knows
 * whether it did.
 */
export const SURELY_OURS_MS = 300_000;

/** How the removal of an endpoint is called among what a process was told of. */
export function removalOf(endpoint: EndpointView): string {
  return `removal of ${truthKey(endpoint)}`;
}

interface Intent {
  /** What tells it from another one: they may be of the same second. */
  readonly is: string;
  readonly add: ReadonlyMap<string, EndpointView>;
  readonly by: string;
  /** When it was written by the clock of its writer. */
  readonly dated: number;
  readonly from: number;
  to: number;
}

/**
 * A process was told of an object by which something may have been added, or removed, and not been
 * seen yet.
 */
interface Sight {
  readonly process: string;
  readonly at: number;
  readonly open: ReadonlySet<string>;
}

/**
 * When each object had it on record that it was about to add something, and which process was told
 * of it.
 */
export class Intents implements Judge {
  readonly #intents = new Map<string, Intent[]>();
  readonly #sights = new Map<string, Sight[]>();
  readonly #words: { readonly uid: string; readonly by: string; readonly at: number }[] = [];
  readonly #wall: number;

  constructor({ wall }: { readonly wall: number }) {
    this.#wall = wall;
  }

  see(fact: Fact): void {
    if (fact.what === 'seen' && fact.thing) this.#sight(fact.thing, fact);
    if (fact.what !== 'written' || fact.change.kind.plural !== 'organizations') return;
    const { now, before, by } = fact.change;
    if (!isDeepStrictEqual(wordOf(before), wordOf(now)))
      this.#words.push({ uid: now.metadata.uid, by, at: fact.at });
    const { time, add = [] } = statusOf(now).pendingChange ?? {};
    const is = intentIn(now);
    const intents = this.#intents.get(now.metadata.uid) ?? [];
    this.#intents.set(now.metadata.uid, intents);
    const last = intents.at(-1);
    if (last?.to === Number.POSITIVE_INFINITY) {
      if (last.is === is) return;
      last.to = fact.at;
    }
    // What a restore has brought back stood there until now, whatever has followed it before.
    const stood = intents.findLast((intent) => intent.is === intentIn(before));
    if (stood) stood.to = stood.is === is ? Number.POSITIVE_INFINITY : fact.at;
    if (time !== undefined && stood?.is !== is) {
      const added = new Map(add.map((endpoint) => [truthKey(endpoint), endpoint]));
      const dated = Date.parse(time) - this.#wall;
      intents.push({ is, add: added, by, dated, from: fact.at, to: Number.POSITIVE_INFINITY });
    }
  }

  /**
   * Whether a process has told anything of calls for an object in this time: that it is suspended,
   * or waits, tells of none.
   */
  hasTold(
    process: string,
    uid: string,
    { from, to }: { readonly from: number; readonly to: number },
  ): boolean {
    return this.#words.some(
      (word) => word.uid === uid && word.by === process && word.at >= from && word.at <= to,
    );
  }

  /**
   * When each process was first told, from the one time to the other, that an add of this endpoint
   * was on record or Unconfirmed; or its removal, by `removalOf`, on record.
   */
  firstSights(
    uid: string,
    endpoint: string,
    { from, to }: { readonly from: number; readonly to: number },
  ): Map<string, number> {
    const sights = (this.#sights.get(uid) ?? []).filter(
      ({ at, open }) => at >= from && at <= to && open.has(endpoint),
    );
    return new Map(sights.toReversed().map(({ process, at }) => [process, at]));
  }

  #sight(thing: Thing, { process, at }: Pick<Sight, 'process' | 'at'>): void {
    const { metadata } = thing;
    const { pendingChange, privateEndpoints = [] } = statusOf(thing);
    const added = [
      ...(pendingChange?.add ?? []),
      ...privateEndpoints.filter(({ state }) => state === 'Unconfirmed'),
    ];
    const open = [...added.map(truthKey), ...(pendingChange?.remove ?? []).map(removalOf)];
    if (open.length === 0) return;
    const sights = this.#sights.get(metadata.uid) ?? [];
    sights.push({ process, at, open: new Set(open) });
    this.#sights.set(metadata.uid, sights);
  }

  /**
   * Intents to add this endpoint of which another process than the writer was told, soon enough to
   * take what is there for it: that it never left, nobody can tell that one.
   */
  inherited(uid: string, endpoint: string): Pick<Intent, 'by' | 'from'>[] {
    const sights = this.#sights.get(uid) ?? [];
    return (this.#intents.get(uid) ?? []).filter(
      ({ add, by, dated, from, to }) =>
        add.has(endpoint) &&
        sights.some(
          ({ process, at, open }) =>
            process !== by &&
            open.has(endpoint) &&
            at >= from &&
            at <= Math.min(to, Math.max(from, dated) + SURELY_OURS_MS),
        ),
    );
  }

  /** Whether this object had it on record then that it was about to add this. */
  hadOnRecord(uid: string, endpoint: string, at: number): boolean {
    return (this.#intents.get(uid) ?? []).some(
      ({ add, from, to }) => add.has(endpoint) && at >= from && at <= to,
    );
  }

  /**
   * Whether an endpoint that came at this time cannot be told from what was about to be added: that
   * may have left, or not. `shownTo`: the process that takes it for that.
   */
  wasOpen(
    uid: string,
    isIt: (endpoint: EndpointView) => boolean,
    { at, shownTo }: { readonly at: number; readonly shownTo: string | undefined },
  ): boolean {
    const intents = this.#intents.get(uid) ?? [];
    return intents.some((intent) => {
      const until = Math.min(intent.to, this.#countsFrom(uid, intent, shownTo) + SURELY_OURS_MS);
      return at >= intent.from - LAG_MS && at <= until && [...intent.add.values()].some(isIt);
    });
  }

  /**
   * A clock that was ahead may have dated it: a process can go by nothing else, but for when it was
   * told of it.
   */
  #countsFrom(uid: string, { add, dated, from }: Intent, process: string | undefined): number {
    const told = (this.#sights.get(uid) ?? []).find(
      (sight) =>
        sight.process === process &&
        sight.at >= from &&
        [...add.keys()].some((key) => sight.open.has(key)),
    );
    return Math.max(from, Math.min(dated, told?.at ?? from));
  }
}

function wordOf(thing: Thing | undefined): object {
  const { lastRequest, pendingChange, privateEndpoints } = statusOf(thing);
  return { lastRequest, pendingChange, privateEndpoints };
}

/** What tells the intent of an object from another one of it. */
function intentIn(thing: Thing | undefined): string {
  const { time, add = [], remove = [] } = statusOf(thing).pendingChange ?? {};
  return JSON.stringify([time, add, remove]);
}
