import type { Thing } from '../kubernetes/objects.ts';
import type { Life } from '../life/life.ts';
import type { Fact } from '../record/facts.ts';
import { statusOf } from '../record/objects.ts';
import { truthKey } from './trail.ts';

/**
 * The second look at what one look missed comes this much later: its time is what stands in the
 * ledger.
 */
const SECOND_LOOK_MS = 60_000;
/** What lies further ahead when it is written is of a clock that is ahead. */
const AHEAD_MS = 60_000;

/** An endpoint is Missing, by the ledger of an object. */
interface Missing {
  readonly uid: string;
  readonly endpoint: string;
  /** Since when, by the clock of the writer. */
  readonly since: number;
}

/**
 * Since when an endpoint is Missing, where a clock that was ahead has written it: who was told
 * later can go by nothing else.
 */
export class MissedByClockAhead {
  readonly #life: Life;
  readonly #written: Missing[] = [];
  /** When each process was told so first. */
  readonly #told: (Missing & { readonly process: string; readonly at: number })[] = [];

  constructor(life: Life) {
    this.#life = life;
  }

  see(fact: Fact): void {
    if (fact.what === 'written' && fact.change.kind.plural === 'organizations') {
      const ahead = this.#missingIn(fact.change.now).filter(
        ({ since }) => since > fact.at + AHEAD_MS,
      );
      this.#written.push(...ahead);
    }
    if (fact.what !== 'seen' || !fact.thing || this.#written.length === 0) return;
    const { process, at, thing } = fact;
    for (const one of this.#missingIn(thing)) {
      const isNews = !this.#told.some((told) => told.process === process && isSame(told, one));
      if (isNews && this.#written.some((written) => isSame(written, one)))
        this.#told.push({ ...one, process, at });
    }
  }

  /**
   * By what this process was told when it lay in the future no more: who was told before that knows
   * that it is long past.
   */
  times(process: string, uid: string, endpoint: string): number[] {
    const told = this.#told.filter(
      (one) => one.process === process && one.uid === uid && one.endpoint === endpoint,
    );
    return told.flatMap(({ since, at }) => (since <= at ? [since] : []));
  }

  #missingIn(thing: Thing): Missing[] {
    return (statusOf(thing).privateEndpoints ?? []).flatMap((entry) => {
      if (entry.state !== 'Missing' || entry.nextAttemptTime === undefined) return [];
      const since = Date.parse(entry.nextAttemptTime) - SECOND_LOOK_MS - this.#life.wall;
      return [{ uid: thing.metadata.uid, endpoint: truthKey(entry), since }];
    });
  }
}

function isSame(a: Missing, b: Missing): boolean {
  return a.uid === b.uid && a.endpoint === b.endpoint && a.since === b.since;
}
