import type { Clock } from '../../clock.ts';
import { compareVersions } from '../resource.ts';
import { isReleased, type Lease } from './lease-record.ts';

/**
 * What a candidate has seen of the Lease, and from when on it may take it. A holder's time runs
 * from when its record was last seen to change, by our monotonic clock: the times written in the
 * Lease are the holder's and prove nothing.
 */
export class LeaseView {
  readonly #identity: string;
  readonly #leaseMs: number;
  readonly #clock: Clock;
  #lease: Lease | undefined;
  #record = '';
  /** Monotonic; undefined before anything was seen. */
  #freeAt: number | undefined;
  #heardAt: number;

  constructor(options: {
    readonly identity: string;
    readonly leaseMs: number;
    readonly clock: Clock;
  }) {
    this.#identity = options.identity;
    this.#leaseMs = options.leaseMs;
    this.#clock = options.clock;
    this.#heardAt = options.clock.monotonic();
  }

  /** As last heard of; undefined: there is none. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? '';
  }

  /** Milliseconds until it may be taken; Infinity before anything was seen. */
  freeInMs(): number {
    return this.#freeAt === undefined
      ? Number.POSITIVE_INFINITY
      : Math.max(0, this.#freeAt - this.#clock.monotonic());
  }

  /** Milliseconds since anything was heard of the Lease. */
  silentMs(): number {
    return this.#clock.monotonic() - this.#heardAt;
  }

  /**
   * Takes an answer or a watch event; `undefined`: there is no such Lease. An older version than
   * the one before is taken too, as after a restored backup: where it is only late, the server
   * refuses what is written on top of it. Where the Lease went back, or was emptied by another than
   * its holder, the one that was seen to hold it may not know yet, and is given a whole term.
   */
  observe(lease: Lease | undefined): void {
    const now = this.#clock.monotonic();
    this.#heardAt = now;
    if (!lease) return this.#observeNone(now);
    const before = this.#lease;
    const wentBack =
      before &&
      compareVersions(lease.metadata.resourceVersion, before.metadata.resourceVersion) < 0;
    const isEmptied = !lease.spec?.holderIdentity && !isReleased(lease);
    const formerHolderUntil =
      before && (wentBack || isEmptied)
        ? Math.max(this.#freeAt ?? now, now + this.#promisedMs(before))
        : now;
    this.#lease = lease;
    const record = JSON.stringify(lease.spec ?? {});
    if (record === this.#record) return;
    this.#record = record;
    this.#freeAt = Math.max(formerHolderUntil, now + this.#promisedMs(lease));
  }

  /**
   * Deleting the Lease does not end its holder. It is given a whole term from now on: a process
   * that stood still has missed its renewals.
   */
  #observeNone(now: number): void {
    if (this.#lease) this.#freeAt = now + this.#promisedMs(this.#lease);
    this.#lease = undefined;
    this.#record = '';
    this.#freeAt ??= now;
  }

  /** How long the holder may act on what it wrote. */
  #promisedMs(lease: Lease): number {
    if (this.holder === '' || this.holder === this.#identity) return 0;
    const seconds = lease.spec?.leaseDurationSeconds ?? 0;
    return seconds > 0 ? seconds * 1000 : this.#leaseMs;
  }
}
