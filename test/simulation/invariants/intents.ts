import type { Fact } from '../record/facts.ts';
import { statusOf } from '../record/objects.ts';
import type { Judge } from './court.ts';
import { truthKey } from './trail.ts';

/** How far an API may lag behind its own writes. */
const LAG_MS = 30_000;
/** What is seen so soon after an intent was written is taken for what it left, where nobody knows whether it did. */
const SURELY_OURS_MS = 300_000;

interface Intent {
  readonly time: string;
  readonly add: ReadonlySet<string>;
  readonly from: number;
  to: number;
}

/** When each object had it on record that it was about to add something. */
export class Intents implements Judge {
  readonly #intents = new Map<string, Intent[]>();

  see(fact: Fact): void {
    if (fact.what !== 'written' || fact.change.kind.plural !== 'organizations') return;
    const { now } = fact.change;
    const { time, add = [] } = statusOf(now).pendingChange ?? {};
    const intents = this.#intents.get(now.metadata.uid) ?? [];
    this.#intents.set(now.metadata.uid, intents);
    const last = intents.at(-1);
    if (last?.to === Number.POSITIVE_INFINITY) {
      if (last.time === time) return;
      last.to = fact.at;
    }
    if (time !== undefined) {
      intents.push({ time, add: new Set(add.map(truthKey)), from: fact.at, to: Number.POSITIVE_INFINITY });
    }
  }

  /** Whether an endpoint that came then cannot be told from what was about to be added: that may have left, or not. */
  wasOpen(uid: string, endpoint: string, at: number): boolean {
    const intents = this.#intents.get(uid) ?? [];
    return intents.some(
      ({ add, from, to }) => add.has(endpoint) && at >= from - LAG_MS && at <= Math.min(to, from + SURELY_OURS_MS),
    );
  }
}
