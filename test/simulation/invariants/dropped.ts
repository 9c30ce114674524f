import type { Change, Thing } from '../kubernetes/objects.ts';
import type { Fact } from '../record/facts.ts';
import { statusOf } from '../record/objects.ts';
import type { Judge } from './court.ts';
import type { Heard } from './heard.ts';
import type { Notes } from './notes.ts';
import { truthKey } from './trail.ts';

/** So long after a status the event that tells of it may come. */
export const EVENT_MS = 120_000;

/** What an organization's status has let go of, and whether its writer could tell of that. */
export class Dropped implements Judge {
  readonly #notes: Notes;
  readonly #heard: Heard;
  /**
   * By uid and endpoint: who was the last to write that this is the object's no more, nor on record
   * as being added or removed, when, and as which version.
   */
  readonly #dropped = new Map<
    string,
    { readonly by: string; readonly at: number; readonly version: Thing }
  >();

  constructor(notes: Notes, heard: Heard) {
    this.#notes = notes;
    this.#heard = heard;
  }

  see(fact: Fact): void {
    if (fact.what !== 'written' || fact.change.kind.plural !== 'organizations') return;
    if (fact.change.type === 'MODIFIED' && fact.change.before)
      this.#compare(fact.change, fact.change.before, fact.at);
  }

  /**
   * Whose status let go of an endpoint, then or later, was gone before an event could tell, or
   * before it knew that there was something to tell, and nobody after it can know that there is
   * something to tell.
   */
  isUntold(uid: string, endpoint: string, since: number): boolean {
    const dropped = this.#dropped.get(`${uid} ${endpoint}`);
    if (dropped === undefined || dropped.at < since) return false;
    const diedFirst = this.#notes.diedWithin(dropped.by, { from: dropped.at, withinMs: EVENT_MS });
    return diedFirst || this.#heard.wasGone(dropped.version);
  }

  #compare({ now, by }: Change, before: Thing, at: number): void {
    const kept = onRecord(now);
    for (const key of onRecord(before)) {
      if (!kept.has(key)) this.#dropped.set(`${now.metadata.uid} ${key}`, { by, at, version: now });
    }
  }
}

/**
 * What a status has as its object's own, and as being added or removed: the next process has
 * something to go by.
 */
export function onRecord(thing: Thing): Set<string> {
  const { privateEndpoints = [], pendingChange } = statusOf(thing);
  const ours = privateEndpoints.filter(
    ({ origin, state }) => origin !== 'Found' && state !== 'Refused',
  );
  return new Set(
    [...ours, ...(pendingChange?.add ?? []), ...(pendingChange?.remove ?? [])].map(truthKey),
  );
}
