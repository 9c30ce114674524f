import { type Cancel, type Clock, pause } from '../../clock.ts';
import { isConflict, isNotFound, type KubeError } from '../client/kube-error.ts';
import { type LeaseCalls, tolerate } from './lease-calls.ts';
import { type Claim, claimed, type Lease } from './lease-record.ts';

/** Tries of a write that met another version, before it waits for the next turn. */
export const CONFLICTS = 3;

/**
 * A Lease that is ours: as the server has it, and when the request that made or renewed it began
 * (monotonic).
 */
export interface Held {
  readonly lease: Lease;
  readonly since: number;
}

export interface RenewalOptions {
  readonly calls: LeaseCalls;
  readonly clock: Clock;
  readonly held: Held;
  readonly identity: string;
  /** What a renewal that begins now writes. */
  readonly claim: () => Claim;
  readonly renewMs: number;
  readonly retryMs: number;
  readonly attemptMs: number;
  readonly onFailure: (error: KubeError) => void;
  readonly onRenewed: () => void;
  /** Called at most once, in the moment in which it is lost. */
  readonly onLost: (why: string) => void;
}

/** Keeps a Lease that is ours, until it is told to stop or the Lease is lost. */
export class Renewal {
  readonly #options: RenewalOptions;
  readonly #over = new AbortController();
  #held: Held;
  #isLost = false;
  #cancelDeadline: Cancel = () => {};

  constructor(options: RenewalOptions) {
    this.#options = options;
    this.#held = options.held;
  }

  get held(): Held {
    return this.#held;
  }

  /** Since the last good renewal began. */
  ageMs(): number {
    return this.#options.clock.monotonic() - this.#held.since;
  }

  async run(stop: AbortSignal): Promise<void> {
    const { clock, retryMs, renewMs } = this.#options;
    const { signal } = this.#over;
    const end = (): void => this.#over.abort();
    stop.addEventListener('abort', end);
    if (stop.aborted) end();
    this.#startDeadline();
    for (let began = this.#held.since; !signal.aborted; ) {
      await pause(clock, Math.max(0, began + retryMs - clock.monotonic()), signal);
      if (signal.aborted) break;
      began = clock.monotonic();
      if (this.ageMs() >= renewMs) this.#lose(this.#tooOld());
      else await this.#renew().catch(tolerate(this.#options.onFailure));
    }
    this.#cancelDeadline();
    stop.removeEventListener('abort', end);
  }

  async #renew(): Promise<void> {
    const { calls, clock, claim, identity, attemptMs } = this.#options;
    const { signal } = this.#over;
    let seen: Lease | undefined = this.#held.lease;
    for (let tries = 0; tries < CONFLICTS && !signal.aborted; tries += 1) {
      const since = clock.monotonic();
      try {
        const lease = await calls.write(claimed(seen, claim()), attemptMs, signal);
        return this.#renewed({ lease, since });
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
      seen = (await calls.read(attemptMs, signal)) ?? withoutVersion(seen);
      const holder = seen.spec?.holderIdentity ?? '';
      if (holder !== '' && holder !== identity)
        return this.#lose(`"${holder}" holds the Lease now`);
    }
  }

  #renewed(held: Held): void {
    if (this.#isLost) return;
    // Others may have stopped waiting for this renewal before its answer came, however good.
    if (this.ageMs() >= this.#options.renewMs) return this.#lose(this.#tooOld());
    this.#held = held;
    this.#options.onRenewed();
    this.#startDeadline();
  }

  /** Also ends a renewal that hangs. */
  #startDeadline(): void {
    const { clock, renewMs } = this.#options;
    this.#cancelDeadline();
    const leftMs = Math.max(0, renewMs - this.ageMs());
    this.#cancelDeadline = clock.at(leftMs, () => this.#lose(this.#tooOld()));
  }

  #lose(why: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#over.abort();
    this.#options.onLost(why);
  }

  #tooOld(): string {
    return `the Lease could not be renewed for ${this.#options.renewMs / 1000} s`;
  }
}

/** For a Lease that somebody deleted under its holder: to be made again as it was. */
function withoutVersion(lease: Lease): Lease {
  const { resourceVersion: _, uid: __, ...metadata } = lease.metadata;
  return { ...lease, metadata: metadata as Lease['metadata'] };
}
