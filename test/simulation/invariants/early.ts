import type { ApiCall, Fact } from '../record/facts.ts';
import { readyOf, specOf, statusOf } from '../record/objects.ts';
import { shown } from './calls.ts';
import { type Candidate, type Court, isSuccess, type Judge } from './court.ts';

/** Reasons after which nothing is sent before the time on record, but for a change from outside. */
const WAITING = new Set(['Rejected', 'Unauthorized', 'Forbidden', 'NotFound', 'DependencyNotReady', 'Unavailable']);
const SLACK_MS = 10_000;
/** A call may have been under way, or its process at a standstill, when a Secret changed. */
const UNHEARD_MS = 120_000;
/** So long an answer that is not on record yet forbids the same request. */
const UNRECORDED_MS = 5 * 60_000;
/** A visit to an object that was made anew may have begun with the one before. */
const MADE_ANEW_MS = 60_000;
const REQUESTED_AT = 'pipewright.dev/reconcile-requested-at';

/** What waits for its time is not sent before it, and what was answered is on record before it is sent again: a restart is no reason. */
export class EarlyJudge implements Judge {
  readonly #court: Court;
  /** By namespace: when a Secret was last written there. */
  readonly #secrets = new Map<string, number>();
  /** By uid: which process was the last to write a status. */
  readonly #writers = new Map<string, string>();
  /** When any key was last taken. */
  #takenAt = Number.NEGATIVE_INFINITY;
  /** By process and target: the last PUT that was confirmed and is in no status yet. */
  readonly #unrecorded = new Map<string, ApiCall>();

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    switch (fact.what) {
      case 'leaves':
        this.#judgeTime(fact.call);
        this.#judgeRecord(fact.call);
        return;
      case 'answered': {
        const { call } = fact;
        if (call.reply?.status !== 401) this.#takenAt = fact.at;
        if (call.method === 'PUT' && isSuccess(call)) this.#unrecorded.set(`${call.process} ${call.target}`, call);
        return;
      }
      case 'written': {
        const { kind, now } = fact.change;
        if (kind.plural === 'secrets') this.#secrets.set(now.metadata.namespace, fact.at);
        if (fact.change.by !== 'user') this.#writers.set(now.metadata.uid, fact.change.by);
        const { lastRequest } = kind.schema ? statusOf(now) : {};
        for (const [name, { reply }] of this.#unrecorded)
          if (reply?.requestId !== undefined && reply.requestId === lastRequest?.requestId)
            this.#unrecorded.delete(name);
        return;
      }
      default:
    }
  }

  #judgeTime(call: ApiCall): void {
    const { restores, world } = this.#court.life;
    if (restores.length > 0 || world.means.has('clocks') || world.means.has('other apis')) return;
    const candidates = this.#court.candidates(call);
    const waits = candidates.map((candidate) => this.#waitMs(candidate));
    const [shortest] = waits.sort((a, b) => a - b);
    if (shortest === undefined || shortest <= SLACK_MS) return;
    const key = candidates[0]?.key ?? call.target;
    const seconds = Math.round(shortest / 1_000);
    this.#court.report(
      'call early',
      key,
      `${shown(call)} leaves ${seconds} s before the time on record, and nothing has changed`,
    );
  }

  /** How long the object still has to wait by its own status, ms; 0: it may be tried. */
  #waitMs({ key, known: { thing, at } }: Candidate): number {
    if (!thing) return 0;
    const { metadata } = thing;
    const status = statusOf(thing);
    const ready = readyOf(thing);
    const [plural] = key.split('/');
    const isOther = metadata.deletionTimestamp !== undefined || ready?.observedGeneration !== metadata.generation;
    const asked = metadata.annotations?.[REQUESTED_AT];
    if (plural === 'organizations' || isOther || specOf(thing).suspend) return 0;
    if (!WAITING.has(ready?.reason ?? '') || (asked !== undefined && asked !== status.lastHandledReconcileAt)) return 0;
    const since = Math.min(at, Date.parse(status.lastRequest?.time ?? '') - this.#court.life.wall || at) - UNHEARD_MS;
    if ((this.#secrets.get(metadata.namespace) ?? 0) >= since) return 0;
    if (ready?.reason === 'Unauthorized' && this.#takenAt >= since) return 0;
    const { nextAttemptTime } = status;
    return nextAttemptTime === undefined ? 0 : Date.parse(nextAttemptTime) - this.#court.life.kube.now();
  }

  #isThere({ key, known: { last } }: Candidate): boolean {
    const [plural = '', namespace = '', name = ''] = key.split('/');
    return this.#court.life.stored(plural, namespace, name)?.metadata.uid === last.metadata.uid;
  }

  #judgeRecord(call: ApiCall): void {
    const name = `${call.process} ${call.target}`;
    const last = this.#unrecorded.get(name);
    this.#unrecorded.delete(name);
    if (!last || last.text !== call.text || call.leftAt - (last.reply?.at ?? 0) > UNRECORDED_MS) return;
    const [candidate, ...others] = this.#court.candidates(call);
    if (!candidate || others.length > 0 || this.#court.life.restores.length > 0 || !this.#isThere(candidate)) return;
    // An answer may have been for another object that had the name just before.
    const createdAt = Date.parse(candidate.known.last.metadata.creationTimestamp) - this.#court.life.wall;
    if (last.leftAt < createdAt + MADE_ANEW_MS) return;
    const text = `${shown(call)} leaves once more, and no status tells of the answer to the one before`;
    // What a leader writes over the last word of the one before is another matter.
    const isOwn = this.#writers.get(candidate.known.last.metadata.uid) === call.process;
    this.#court.report(isOwn ? 'call unrecorded' : 'process result-lost', call.target, text);
  }
}
