import type { Fact } from '../record/facts.ts';
import { statusOf } from '../record/objects.ts';
import type { Court, Judge } from './court.ts';

/**
 * Proven is only who was answered 200 himself, with his own key: a call under way is no proof, and
 * ids are no secret.
 */
export class ProofJudge implements Judge {
  readonly #court: Court;
  /** By uid: all that a reply of 200 can have been for. */
  readonly #answered = new Set<string>();
  /** By uid: the API that its proof was for when it ended. */
  readonly #endedAt = new Map<string, string>();

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (fact.what === 'answered' && fact.call.reply?.status === 200) {
      for (const { known } of this.#court.candidates(fact.call))
        this.#answered.add(known.last.metadata.uid);
    }
    if (fact.what !== 'written' || fact.change.by === 'user' || fact.change.type !== 'MODIFIED')
      return;
    const { kind, now, before } = fact.change;
    const { proof } = statusOf(now);
    if (proof === undefined && statusOf(before).proof)
      this.#endedAt.set(now.metadata.uid, this.#court.life.fleet.apiHostOf(fact.change.by));
    if (proof === undefined || proof.time === statusOf(before).proof?.time) return;
    const { uid, namespace, name } = now.metadata;
    // After a restore nobody knows for whom a process has called.
    if (this.#answered.has(uid) || this.#court.life.restores.length > 0) return;
    const key = `${kind.plural}/${namespace}/${name}`;
    this.#court.report(
      'held unproven',
      key,
      `${key} counts as proven, and the API has answered nothing of its own`,
    );
  }

  /**
   * The API with which the process worked that took the proof of an object away: from then on
   * nobody knows what it was for.
   */
  endedAt(uid: string): string | undefined {
    return this.#endedAt.get(uid);
  }
}
