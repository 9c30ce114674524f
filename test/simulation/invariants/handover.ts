import type { Change, Thing } from '../kubernetes/objects.ts';
import { type ApiCall, type Fact, keyOf } from '../record/facts.ts';
import { isOlder } from '../record/knowledge.ts';
import { shown } from './calls.ts';
import type { Court, Judge } from './court.ts';
import { holderOf } from './leases.ts';

/** What the objects stood as when the Lease was given back, or where it was not, taken. */
interface Legacy {
  readonly objects: ReadonlyMap<string, Thing>;
  readonly at: number;
  /** Who works with it: the one that took the Lease next. */
  heir: string | undefined;
}

/**
 * Who takes over calls for no object before it has been told what stood in it when the former
 * leader ended: else it does again what that one has done.
 */
export class HandoverJudge implements Judge {
  readonly #court: Court;
  #legacy: Legacy | undefined;

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (!this.#court.life.world.elected) return;
    if (fact.what === 'written' && fact.change.kind.plural === 'leases') this.#pass(fact.change);
    if (fact.what === 'leaves') this.#judge(fact.call);
  }

  #pass({ type, before, now }: Change): void {
    const holder = holderOf(now.spec);
    const wasGivenBack = before !== undefined && holderOf(before.spec) === '';
    if (type === 'DELETED' || (before && holder === holderOf(before.spec))) return;
    if (wasGivenBack && this.#legacy) this.#legacy.heir = holder;
    else this.#legacy = { objects: this.#objects(), at: this.#now, heir: holder || undefined };
  }

  get #now(): number {
    return this.#court.life.timeline.now;
  }

  #judge(call: ApiCall): void {
    const { behindUntil, restores } = this.#court.life;
    if (this.#legacy?.heir !== call.process || restores.length > 0) return;
    const { objects, at } = this.#legacy;
    if (behindUntil >= at) return;
    for (const { key, known } of this.#court.candidates(call)) {
      const stood = objects.get(key);
      if (stood?.metadata.uid !== known.last.metadata.uid || !isOlder(known.last, stood)) continue;
      this.#court.report(
        'call unread',
        key,
        `${shown(call)} leaves ${call.process}, which knows version ${known.last.metadata.resourceVersion} of ${key}, and ${stood.metadata.resourceVersion} stood there when it took over`,
      );
    }
  }

  #objects(): ReadonlyMap<string, Thing> {
    return new Map(
      this.#court.life.objects().map(({ plural, thing }) => [keyOf(plural, thing), thing]),
    );
  }
}
