import type { Fact } from '../record/facts.ts';
import { isIdle, readyOf, statusOf } from '../record/objects.ts';
import type { Court, Judge } from './court.ts';

const MINUTE = 60_000;
/**
 * The longest wait of a class, by the contract; those that are longer than a life rests are not
 * looked at.
 */
const LONGEST_MS: Readonly<Record<string, number>> = {
  Unavailable: 5 * MINUTE,
  OutcomeUnknown: 5 * MINUTE,
  Conflict: 2 * MINUTE,
  DependencyNotReady: 10 * MINUTE,
};
/** Waits differ by a fifth. */
const JITTER = 1.2;
/** An attempt may stand in line for its slot. */
export const IN_LINE_MS = 2 * MINUTE;
const LONGEST_PAUSE_MS = 15 * MINUTE;

/**
 * What has failed is tried again within the longest wait of its class, whatever wall clocks say.
 */
export class WaitJudge implements Judge {
  readonly #court: Court;
  /** By object: when a call last left that may have been for it. */
  readonly #called = new Map<string, number>();
  /** When the API last asked to be left alone. */
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(court: Court) {
    this.#court = court;
    const { timeline, world } = court.life;
    timeline.quietlyAt(world.endAt - 1, () => this.#look());
  }

  see(fact: Fact): void {
    if (fact.what === 'leaves') {
      for (const { key } of this.#court.candidates(fact.call)) this.#called.set(key, fact.at);
    }
    if (fact.what !== 'answered') return;
    const { reply } = fact.call;
    if (reply?.status === 429 || reply?.headers['retry-after'] !== undefined)
      this.#askedAt = fact.at;
  }

  /** The adversary has been at rest for a while, and every process has been up. */
  #look(): void {
    const { life } = this.#court;
    const { now } = life.timeline;
    if (life.restores.length > 0 || now - this.#askedAt < LONGEST_PAUSE_MS + 10 * MINUTE) return;
    for (const { plural, thing } of life.objects()) {
      const { namespace, name } = thing.metadata;
      const reason = readyOf(thing)?.reason ?? '';
      const longest = LONGEST_MS[reason];
      if (longest === undefined || isIdle(thing)) continue;
      const key = `${plural}/${namespace}/${name}`;
      const since = Math.max(this.#called.get(key) ?? 0, life.world.restAt);
      if (now - since <= longest * JITTER + IN_LINE_MS) continue;
      const minutes = ((now - since) / MINUTE).toFixed(0);
      const text = `${key} says ${reason} and has not been tried for ${minutes} min, while everything worked; it is tried again after ${longest / MINUTE} min at most`;
      // How long a change may be at work is counted from a time on record, which another clock may
      // have written.
      this.#court.report(
        statusOf(thing).pendingChange ? 'promise far-pending' : 'promise far',
        key,
        text,
      );
    }
  }
}
