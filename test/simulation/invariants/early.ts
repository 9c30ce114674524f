import type { ApiCall, Fact } from '../record/facts.ts';
import { isIdle, isOwedATry, readyOf, statusOf } from '../record/objects.ts';
import { shown } from './calls.ts';
import type { Candidate, Court, Judge } from './court.ts';

/** Reasons after which nothing is sent before the time on record, but for a change from outside. */
const WAITING = new Set([
  'Rejected',
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'DependencyNotReady',
  'Unavailable',
]);
const SLACK_MS = 10_000;
/** A call may have been under way, or its process at a standstill, when a Secret changed. */
const LET_GO_MS = 120_000;

/** What waits for its time is not sent before it: a restart is no reason. */
export class EarlyJudge implements Judge {
  readonly #court: Court;
  /** By namespace: when a Secret was last written there. */
  readonly #secrets = new Map<string, number>();
  /** By key: when the API last took it. */
  readonly #taken = new Map<string, number>();

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    switch (fact.what) {
      case 'leaves':
        this.#judge(fact.call);
        return;
      case 'answered':
        if (fact.call.reply?.status !== 401) this.#taken.set(keyOf(fact.call), fact.at);
        return;
      case 'written': {
        const { kind, now } = fact.change;
        if (kind.plural === 'secrets') this.#secrets.set(now.metadata.namespace, fact.at);
        return;
      }
      default:
    }
  }

  #judge(call: ApiCall): void {
    const { restores, world } = this.#court.life;
    if (restores.length > 0 || world.means.has('clocks') || world.means.has('other apis')) return;
    const waits = this.#court
      .candidates(call)
      .map((one) => ({ key: one.key, waitMs: this.#waitMs(call, one) }));
    const [shortest] = waits.sort((a, b) => a.waitMs - b.waitMs);
    if (!shortest || shortest.waitMs <= SLACK_MS) return;
    const { key, waitMs } = shortest;
    const seconds = Math.round(waitMs / 1_000);
    const text = `${shown(call)} leaves ${seconds} s before the time on record, and nothing has changed`;
    this.#court.report('call early', key, text);
  }

  /** How long the object still has to wait by its own status, ms; 0: it may be tried. */
  #waitMs(call: ApiCall, { key, known }: Candidate): number {
    const { thing, at } = known;
    // An organization has times of its own for each endpoint.
    if (!thing || key.startsWith('organizations/') || isIdle(thing) || isOwedATry(thing)) return 0;
    const { namespace, generation } = thing.metadata;
    const ready = readyOf(thing);
    const { nextAttemptTime, lastRequest } = statusOf(thing);
    if (ready?.observedGeneration !== generation || !WAITING.has(ready?.reason ?? '')) return 0;
    const triedAt = Date.parse(lastRequest?.time ?? '') - this.#court.life.wall;
    const since = Math.min(at, triedAt || at) - LET_GO_MS;
    const isNews = (when: number | undefined): boolean => (when ?? 0) >= since;
    if (isNews(this.#secrets.get(namespace)) || this.#court.isLateWord(known, call.process))
      return 0;
    if (ready?.reason === 'Unauthorized' && isNews(this.#taken.get(keyOf(call)))) return 0;
    return nextAttemptTime === undefined
      ? 0
      : Date.parse(nextAttemptTime) - this.#court.life.kube.now();
  }
}

function keyOf({ credential: { keyId, secret } }: ApiCall): string {
  return `${keyId} ${secret}`;
}
