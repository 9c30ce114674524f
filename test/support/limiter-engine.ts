import { Limiter, type LimiterOptions, type Permit } from '../../src/api/limiter.ts';
import type { CallEnd } from '../../src/api/line.ts';
import { pause } from '../../src/clock.ts';
import { FakeClock } from './fake-clock.ts';

/** One object that makes some calls; how each ends, and how slow everything is. */
export interface Plan {
  readonly credential: string;
  readonly urgency: 'user' | 'scheduled';
  readonly arrivesMs: number;
  /** Of the HTTP status 0: no answer. */
  readonly calls: readonly {
    readonly status: number;
    readonly latencyMs: number;
    readonly waitMs?: number | undefined;
  }[];
  readonly beginDelayMs: number;
  /** It is edited so long after it began to ask, and asks anew; absent: never. */
  readonly editedMs?: number | undefined;
}

/** A call that was made. */
export interface Made {
  readonly id: string;
  readonly credential: string;
  readonly at: number;
  endedAt: number;
  readonly status: number;
  readonly waitMs: number;
}

interface Limits {
  readonly calls: number;
  readonly total?: number;
  readonly inFlight: number;
}

export const WINDOW_MS = 5_000;
export const TOTAL_WINDOW_MS = 4_000;

export function aLimiter(clock: FakeClock, more: Partial<LimiterOptions> = {}): Limiter {
  const unlimited = { calls: 0, perMs: WINDOW_MS };
  const wake = (): void => undefined;
  const always = { rate: unlimited, rateTotal: unlimited, inFlight: 4, clock, wake };
  return new Limiter({ ...always, ...more });
}

/** Objects that ask, wait, call, and come back, as the controller has them do it. */
export class Engine {
  readonly clock = new FakeClock();
  readonly made: Made[] = [];
  readonly limiter: Limiter;
  unserved: number;
  readonly #sleepers = new Map<string, () => void>();

  constructor(plans: readonly Plan[], { calls, total = 0, inFlight }: Limits) {
    this.unserved = plans.length;
    this.limiter = aLimiter(this.clock, {
      rate: { calls, perMs: WINDOW_MS },
      rateTotal: { calls: total, perMs: TOTAL_WINDOW_MS },
      inFlight,
      wake: (id) => this.#sleepers.get(id)?.(),
    });
    for (const [nth, plan] of plans.entries()) void this.#live(String(nth), plan);
  }

  async #live(id: string, plan: Plan): Promise<void> {
    await pause(this.clock, plan.arrivesMs);
    for (const [nth, call] of plan.calls.entries()) {
      let isMade = false;
      while (!isMade) isMade = await this.#attempt(id, plan, call, nth > 0);
      if (call.status === 401) await this.#sleep(id, 2_000_000);
    }
    this.unserved -= 1;
  }

  /** False: no call was made, and it has waited for what brings the next attempt. */
  async #attempt(
    id: string,
    { credential, urgency, beginDelayMs, editedMs }: Plan,
    call: Plan['calls'][number],
    isLater: boolean,
  ): Promise<boolean> {
    const edited = new AbortController();
    const cancel = this.clock.at(editedMs ?? 0, () => editedMs && edited.abort());
    const permit = await this.limiter.permit({
      id,
      wish: async () => ({ credential, mayTry: false }),
      urgency: isLater ? 'later' : urgency,
      onUnwanted: (end) => edited.signal.addEventListener('abort', end),
      parked: (wait) => wait(),
      onLongWait: async () => true,
    });
    cancel();
    if (typeof permit !== 'string') {
      await pause(this.clock, beginDelayMs);
      return this.#call(id, credential, call, permit);
    }
    if (permit === 'key-refused') await this.#sleep(id, Number.POSITIVE_INFINITY);
    else await pause(this.clock, 1);
    return false;
  }

  async #call(
    id: string,
    credential: string,
    { status, latencyMs, waitMs = 0 }: Plan['calls'][number],
    permit: Permit,
  ): Promise<boolean> {
    if (!permit.begin()) {
      permit.finish();
      await pause(this.clock, 1_000);
      return false;
    }
    const at = this.clock.monotonic();
    const made: Made = { id, credential, at, endedAt: Infinity, status, waitMs };
    this.made.push(made);
    await pause(this.clock, latencyMs);
    made.endedAt = this.clock.monotonic();
    permit.finish(endOf(status, waitMs));
    return true;
  }

  /** Until it is woken, or its own time has come. */
  async #sleep(id: string, ms: number): Promise<void> {
    const woken = new AbortController();
    this.#sleepers.set(id, () => woken.abort());
    await pause(this.clock, ms, woken.signal);
  }
}

export function endOf(httpStatus: number, retryAfterMs = 0): CallEnd {
  return httpStatus === 0 ? { answered: false } : { answered: true, httpStatus, retryAfterMs };
}
