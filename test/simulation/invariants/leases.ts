import { kindOf } from '../kubernetes/kinds.ts';
import type { ApiCall, Fact } from '../record/facts.ts';
import { shown } from './calls.ts';
import type { Court, Judge } from './court.ts';

/** Who held a Lease that is gone may call until its renewal is so old. */
const LEASE_MS = 15_000;

/**
 * Only the process that the Lease names makes calls, and it gives the Lease back when all of them
 * have ended.
 */
export class LeaseJudge implements Judge {
  readonly #court: Court;
  /** By process: its calls that have not ended. */
  readonly #open = new Map<string, Set<ApiCall>>();
  /** By process: when it started, or went on after it had stood still. */
  readonly #beganAt = new Map<string, number>();
  #deletedAt = Number.NEGATIVE_INFINITY;

  constructor(court: Court) {
    this.#court = court;
  }

  see(fact: Fact): void {
    if (!this.#court.life.world.elected) return;
    switch (fact.what) {
      case 'leaves':
        this.#openOf(fact.call.process).add(fact.call);
        this.#judgeHolder(fact.call);
        return;
      case 'answered':
      case 'unanswered':
        this.#openOf(fact.call.process).delete(fact.call);
        return;
      case 'written':
        if (fact.change.kind.plural !== 'leases') return;
        if (fact.change.type === 'DELETED') this.#deletedAt = fact.at;
        this.#judgeRelease(fact.change.by, fact.change.now.spec);
        return;
      case 'process':
        if (fact.did === 'starts' || fact.did === 'goes-on')
          this.#beganAt.set(fact.process, fact.at);
        return;
      default:
    }
  }

  /**
   * Who has lost the Lease does not know it later than its deadline, which is before another may
   * take it.
   */
  #judgeHolder(call: ApiCall): void {
    const { kube, restores, timeline } = this.#court.life;
    if (restores.some((at) => timeline.now - at < 60_000)) return;
    const holder = holderOf(kube.objects.list(kindOf('leases'), '')[0]?.spec);
    if (holder === '' || holder === call.process) return;
    // Who led until it stood still has lost it with that, and looks as if it had just come.
    const isNew = (this.#beganAt.get(holder) ?? 0) >= this.#deletedAt;
    if (isNew && timeline.now - this.#deletedAt < LEASE_MS) {
      this.#court.excuse('a Lease that somebody has deleted, taken by a process that never saw it');
      return;
    }
    this.#court.report(
      'call no-lease',
      call.process,
      `${shown(call)} leaves ${call.process}, while ${holder} holds the Lease`,
    );
  }

  #judgeRelease(by: string, spec: unknown): void {
    const [open] = this.#openOf(by);
    if (holderOf(spec) !== '' || !open) return;
    this.#court.report(
      'call beside',
      by,
      `${by} gives back the Lease while ${shown(open)} is under way`,
    );
  }

  #openOf(process: string): Set<ApiCall> {
    const open = this.#open.get(process) ?? new Set();
    this.#open.set(process, open);
    return open;
  }
}

/** Empty: nobody. */
export function holderOf(spec: unknown): string {
  return (spec as { readonly holderIdentity?: string } | undefined)?.holderIdentity ?? '';
}
