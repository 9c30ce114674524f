import type { ApiCall, Fact } from '../record/facts.ts';
import { statusOf } from '../record/objects.ts';
import { shown } from './calls.ts';
import { type Candidate, type Court, isSuccess, type Judge } from './court.ts';
import type { Overruled } from './overruled.ts';

/** So long an answer that is not on record yet forbids the same request. */
const UNRECORDED_MS = 5 * 60_000;
/** A visit to an object that was made anew may have begun with the one before. */
const MADE_ANEW_MS = 60_000;
/** What was confirmed stands in a status before the same is sent again. */
export class RecordJudge implements Judge {
  readonly #court: Court;
  /** By uid: which process was the last to write a status. */
  readonly #writers = new Map<string, string>();
  /**
   * By process and target: the last PUT that was confirmed and is in no status yet, and who had
   * written that of each object then.
   */
  readonly #unrecorded = new Map<
    string,
    { readonly call: ApiCall; readonly writers: ReadonlyMap<string, string> }
  >();
  readonly #overruled: Overruled;

  constructor(court: Court, overruled: Overruled) {
    this.#court = court;
    this.#overruled = overruled;
  }

  see(fact: Fact): void {
    switch (fact.what) {
      case 'leaves':
        this.#judge(fact.call);
        return;
      case 'answered': {
        const { call } = fact;
        if (call.method === 'PUT' && isSuccess(call))
          this.#unrecorded.set(`${call.process} ${call.target}`, {
            call,
            writers: new Map(this.#writers),
          });
        return;
      }
      case 'written': {
        const { kind, now, by } = fact.change;
        if (!kind.schema) return;
        if (by !== 'user') this.#writers.set(now.metadata.uid, by);
        const { lastRequest } = statusOf(now);
        for (const [name, { call }] of this.#unrecorded) {
          const { requestId } = call.reply ?? {};
          if (requestId !== undefined && requestId === lastRequest?.requestId)
            this.#unrecorded.delete(name);
        }
        return;
      }
      default:
    }
  }

  #judge(call: ApiCall): void {
    const name = `${call.process} ${call.target}`;
    const { call: last, writers } = this.#unrecorded.get(name) ?? {};
    this.#unrecorded.delete(name);
    if (!last || last.text !== call.text || call.leftAt - (last.reply?.at ?? 0) > UNRECORDED_MS)
      return;
    const [candidate, ...others] = this.#court.candidates(call);
    if (
      !candidate ||
      others.length > 0 ||
      this.#court.life.restores.length > 0 ||
      !this.#isThere(candidate)
    )
      return;
    const { uid, creationTimestamp } = candidate.known.last.metadata;
    if (last.leftAt < Date.parse(creationTimestamp) - this.#court.life.wall + MADE_ANEW_MS) return;
    // Nor can the answer to a call that left before the process was told of this object stand in
    // its status.
    if (!this.#court.candidates(last).some(({ known }) => known.last.metadata.uid === uid)) return;
    const text = `${shown(call)} leaves once more, and no status tells of the answer to the one before`;
    // What a leader writes over the last word of the one before is another matter, whatever it
    // writes later.
    const isOwn = writers?.get(uid) === call.process;
    const isOthersWord = !isOwn || this.#overruled.isOthers(last, uid);
    if (isOthersWord && this.#overruled.has(last, candidate)) return;
    this.#court.report(isOwn ? 'call unrecorded' : 'process result-lost', call.target, text);
  }

  #isThere({ key, known: { last } }: Candidate): boolean {
    const [plural = '', namespace = '', name = ''] = key.split('/');
    return this.#court.life.stored(plural, namespace, name)?.metadata.uid === last.metadata.uid;
  }
}
