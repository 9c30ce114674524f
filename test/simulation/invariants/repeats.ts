import type { ApiCall, Fact } from '../record/facts.ts';
import { type PatchView, shown } from './calls.ts';
import type { Court, Judge } from './court.ts';
import { truthKey } from './trail.ts';

/** What the contract allows. */
const MOST = 3;

/** I4: an endpoint that does not appear is not sent for ever: at most three unconfirmed changes of one endpoint in a generation. */
export class RepeatJudge implements Judge {
  readonly #court: Court;
  /** By process, uid, generation and endpoint: adds that were taken, or may have been. What a process has counted goes with it. */
  readonly #sent = new Map<string, number>();

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (fact.what === 'answered') this.#count(fact.call, (fact.call.reply?.status ?? 0) < 300);
    if (fact.what === 'unanswered') this.#count(fact.call, true);
  }

  #count(call: ApiCall, isTaken: boolean): void {
    const [candidate, other] = this.#court.candidates(call);
    if (!isTaken || call.method !== 'PATCH' || !candidate || other) return;
    const { uid, generation } = candidate.known.last.metadata;
    for (const endpoint of (call.body as PatchView).privateEndpoints?.add ?? []) {
      const key = `${call.process} ${uid} ${generation} ${truthKey(endpoint)}`;
      const count = (this.#sent.get(key) ?? 0) + 1;
      this.#sent.set(key, count);
      if (count > MOST) {
        this.#court.report(
          'I4 added-again',
          candidate.key,
          `${endpoint.id} is added for the ${count}th time in one generation: ${shown(call)}`,
        );
      }
    }
  }
}
