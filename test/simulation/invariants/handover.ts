import type { Change, Thing } from '../kubernetes/objects.ts';
import { type ApiCall, type Fact, keyOf } from '../record/facts.ts';
import { shown } from './calls.ts';
import type { Court, Judge } from './court.ts';

/** What the objects stood as when the Lease was given back, or taken from its holder. */
interface Legacy {
  readonly objects: ReadonlyMap<string, Thing>;
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
    const [formerly, holder] = [holderOf(before), holderOf(now)];
    // Who never saw the Lease that somebody deleted can know of no former leader.
    if (type === 'DELETED') this.#legacy = undefined;
    else if (holder === formerly) return;
    else if (holder === '') this.#legacy = { objects: this.#objects(), heir: undefined };
    else if (formerly !== '') this.#legacy = { objects: this.#objects(), heir: holder };
    else if (this.#legacy) this.#legacy.heir = holder;
  }

  #judge(call: ApiCall): void {
    const { behindUntil, restores } = this.#court.life;
    if (this.#legacy?.heir !== call.process || restores.length > 0 || behindUntil > 0) return;
    const { objects } = this.#legacy;
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

function holderOf(lease: Thing | undefined): string {
  return (lease?.spec as { readonly holderIdentity?: string } | undefined)?.holderIdentity ?? '';
}

function isOlder(a: Thing, b: Thing): boolean {
  return Number(a.metadata.resourceVersion) < Number(b.metadata.resourceVersion);
}
