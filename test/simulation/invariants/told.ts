import type { ApiCall, Fact } from '../record/facts.ts';
import { statusOf } from '../record/objects.ts';
import type { Judge } from './court.ts';

/**
 * By these words of a status the API has taken something, or may have; by all others nothing
 * happened.
 */
const TAKEN = new Set(['Succeeded', 'Unknown']);

/** What the status of an object has told of a call since the call ended. */
export class Told implements Judge {
  /** Counts facts: two of them may be of the same millisecond. */
  #count = 0;
  readonly #ended = new Map<ApiCall, number>();
  /** By process and object: the last time. */
  readonly #written = new Map<string, number>();
  /** By uid and process: the last time that it was shown such a word. */
  readonly #shown = new Map<string, Map<string, number>>();

  see(fact: Fact): void {
    this.#count += 1;
    if (fact.what === 'answered' || fact.what === 'unanswered')
      this.#ended.set(fact.call, this.#count);
    if (fact.what === 'written')
      this.#written.set(`${fact.change.by} ${fact.change.now.metadata.uid}`, this.#count);
    if (fact.what !== 'seen' || !TAKEN.has(statusOf(fact.thing).lastRequest?.outcome ?? '')) return;
    const uid = fact.thing?.metadata.uid ?? '';
    const shown = this.#shown.get(uid) ?? new Map<string, number>();
    this.#shown.set(uid, shown.set(fact.process, this.#count));
  }

  /**
   * Which processes were shown since then that the API has taken something of this object, or may
   * have.
   */
  shownTo(call: ApiCall, uid: string): readonly string[] {
    const ended = this.#ended.get(call) ?? Number.POSITIVE_INFINITY;
    return [...(this.#shown.get(uid) ?? [])].flatMap(([process, at]) =>
      at > ended ? [process] : [],
    );
  }

  /** Whether the process of the call has written the status. */
  has(call: ApiCall, uid: string): boolean {
    const written = this.#written.get(`${call.process} ${uid}`) ?? 0;
    return written > (this.#ended.get(call) ?? Number.POSITIVE_INFINITY);
  }
}
