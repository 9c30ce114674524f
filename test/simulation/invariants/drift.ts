import type { Change } from '../kubernetes/objects.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import { type DriftView, specOf, statusOf, targetOfSpec } from '../record/objects.ts';
import type { Court, Judge } from './court.ts';

/** What is told as drift had been reported by this API before, and was changed by somebody else. */
export class DriftJudge implements Judge {
  readonly #court: Court;
  readonly #replies: ApiCall[] = [];
  /**
   * Told before, by object: one that a restore has taken off comes back with what a process still
   * held, by now at another API.
   */
  readonly #told = new Set<string>();

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (fact.what === 'answered' && fact.call.reply?.status === 200) this.#replies.push(fact.call);
    if (fact.what !== 'written' || fact.change.by === 'user' || fact.change.type !== 'MODIFIED')
      return;
    if (fact.change.kind.plural === 'pipesettings') this.#judge(fact.change);
  }

  #judge({ now, by }: Change): void {
    const { namespace, name, uid } = now.metadata;
    const told = (entry: DriftView): string => JSON.stringify([uid, entry]);
    const news = (statusOf(now).drift ?? []).filter((entry) => !this.#told.has(told(entry)));
    if (news.length === 0) return;
    for (const entry of news) this.#told.add(told(entry));
    const key = `pipesettings/${namespace}/${name}`;
    const target = targetOfSpec('pipesettings', specOf(now));
    // By the API that the writer works with: one that is told to end by a move to another has its
    // last word of the one before.
    const host = this.#court.life.fleet.apiHostOf(by);
    const replies = this.#replies.filter((call) => call.target === target && call.host === host);
    const last = replies.at(-1);
    for (const { field = '', from, to } of news) {
      const reported = replies.some(
        (call) => call !== last && same(call.reply?.result?.[field], from),
      );
      if (reported) continue;
      this.#court.report(
        'said drift',
        key,
        `${key} says that ${field} drifted from ${String(from)} to ${String(to)}, and ${host} had never reported ${String(from)}`,
      );
    }
  }
}

/** However an API spells a value. */
function same(reported: unknown, told: unknown): boolean {
  const plain = (value: unknown): string => {
    if (value === true || value === 1 || value === '1') return 'true';
    if (value === false || value === 0 || value === '0') return 'false';
    return String(Number.isNaN(Number(value)) ? value : Number(value));
  };
  return String(reported) === String(told) || plain(reported) === plain(told);
}
