import { isDeepStrictEqual } from 'node:util';
import type { Thing } from '../kubernetes/objects.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import { statusOf } from '../record/objects.ts';
import type { Candidate, Court, Judge } from './court.ts';

/**
 * A visit that has begun reads a Secret, and is in line for its slot: it may know nothing of what
 * its process was told since.
 */
const VISIT_MS = 30_000;

/** Over which answers somebody else has spoken: that word counts more, and they are not told. */
export class Overruled implements Judge {
  readonly #court: Court;
  /**
   * By process and uid: the last attempt on record that the process was told of, and when; what it
   * began with, long ago.
   */
  readonly #heard = new Map<string, { readonly attempt: unknown; readonly at: number }>();
  /** By uid: who has recorded the attempt that stands there. */
  readonly #speakers = new Map<string, string>();

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (fact.what === 'seen' && fact.thing) this.#hear(fact.process, fact.thing, fact.at);
    if (fact.what !== 'written' || fact.change.by === 'user') return;
    const { now, before, by } = fact.change;
    if (!isDeepStrictEqual(statusOf(now).lastRequest, statusOf(before).lastRequest))
      this.#speakers.set(now.metadata.uid, by);
  }

  #hear(process: string, thing: Thing, at: number): void {
    const name = `${process} ${thing.metadata.uid}`;
    const attempt = statusOf(thing).lastRequest;
    const before = this.#heard.get(name);
    if (before && isDeepStrictEqual(before.attempt, attempt)) return;
    this.#heard.set(name, { attempt, at: before ? at : Number.NEGATIVE_INFINITY });
  }

  /** Whether it was another process that has recorded the attempt which stands there. */
  isOthers({ process }: ApiCall, uid: string): boolean {
    const speaker = this.#speakers.get(uid);
    return speaker !== undefined && speaker !== process;
  }

  /**
   * Whether an attempt has been recorded that the process did not know of when the visit of this
   * call began.
   */
  has(call: ApiCall, { key, known: { last } }: Candidate): boolean {
    const [plural = '', namespace = '', name = ''] = key.split('/');
    const knew = this.#court
      .candidates(call)
      .find(({ known }) => known.last.metadata.uid === last.metadata.uid);
    if (!knew) return false;
    // What it was told of after its call left differs below.
    const heard = this.#heard.get(`${call.process} ${last.metadata.uid}`);
    if (heard && call.leftAt - heard.at <= VISIT_MS) return true;
    const [before, now] = [knew.known.last, this.#court.life.stored(plural, namespace, name)].map(
      (thing) => statusOf(thing).lastRequest,
    );
    return !isDeepStrictEqual(before, now);
  }
}
