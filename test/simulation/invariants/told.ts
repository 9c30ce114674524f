import type { ApiCall, Fact } from '../record/facts.ts';
import type { Judge } from './court.ts';

/** Whether the process of a call has written the status of an object since the call ended. */
export class Told implements Judge {
  /** Counts facts: two of them may be of the same millisecond. */
  #count = 0;
  readonly #ended = new Map<ApiCall, number>();
  /** By process and object: the last time. */
  readonly #written = new Map<string, number>();

  see(fact: Fact): void {
    this.#count += 1;
    if (fact.what === 'answered' || fact.what === 'unanswered') this.#ended.set(fact.call, this.#count);
    if (fact.what === 'written') this.#written.set(`${fact.change.by} ${fact.change.now.metadata.uid}`, this.#count);
  }

  has(call: ApiCall, uid: string): boolean {
    const written = this.#written.get(`${call.process} ${uid}`) ?? 0;
    return written > (this.#ended.get(call) ?? Number.POSITIVE_INFINITY);
  }
}
