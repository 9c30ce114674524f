import type { ApiCall, Fact } from '../record/facts.ts';
import type { Court, Judge } from './court.ts';

/** Calls after whose end their process has written a status of an object that they can be for. */
export class Told implements Judge {
  readonly #court: Court;
  readonly #told = new Set<ApiCall>();
  /** By process: calls that have ended, and of which it has not told. */
  readonly #ended = new Map<string, readonly ApiCall[]>();

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (fact.what === 'answered' || fact.what === 'unanswered') {
      const { process } = fact.call;
      this.#ended.set(process, [...(this.#ended.get(process) ?? []), fact.call]);
    }
    if (fact.what === 'written') this.#tell(fact.change.by, fact.change.now.metadata.uid);
  }

  has(call: ApiCall): boolean {
    return this.#told.has(call);
  }

  #tell(process: string, uid: string): void {
    const ended = this.#ended.get(process) ?? [];
    const isFor = (call: ApiCall): boolean =>
      this.#court.candidates(call).some(({ known }) => known.last.metadata.uid === uid);
    for (const call of ended.filter(isFor)) this.#told.add(call);
    this.#ended.set(
      process,
      ended.filter((call) => !this.#told.has(call)),
    );
  }
}
