import { type Waiting, WaitingQueue } from '../../waiting-queue.ts';
import { Alarm } from './alarm.ts';
import type { RateLimiterOptions } from './contract.ts';
import type { CredentialLimiter, Entry } from './credential-limiter.ts';
import { RateWindow } from './rate-window.ts';

/** A credential that could call now, but for what all share. */
interface Place extends Waiting {
  readonly limiter: CredentialLimiter;
  readonly line: Line;
}

/** By whether the key is known to work. */
type Line = 'proven' | 'untried';

/**
 * What credentials share: the rate of the whole process, and the one rate of all keys that have
 * never worked. Whoever could call stands in a line, one for each; in both, tenants take turns.
 * Where the rate of the process is short, the two lines take turns: the untried keys of many hold
 * up nobody's good key by more than one call at a time, nor the other way round.
 */
export class SharedPace {
  readonly #untried: RateWindow;
  readonly #total: RateWindow;
  readonly #lines: Readonly<Record<Line, WaitingQueue<Place>>> = {
    proven: new WaitingQueue(),
    untried: new WaitingQueue(),
  };
  readonly #places = new Map<CredentialLimiter, Place>();
  readonly #alarm: Alarm;
  #lastServed: Line = 'proven';
  #rank = 0;

  constructor(
    { rate, rateTotal, clock }: Pick<RateLimiterOptions, 'rate' | 'rateTotal' | 'clock'>,
    onTimer: () => void,
  ) {
    this.#untried = new RateWindow(rate);
    this.#total = new RateWindow(rateTotal);
    this.#alarm = new Alarm(clock, onTimer);
  }

  /** `entry`: the call for which this credential waits; it keeps the place that it has. */
  lineUp(limiter: CredentialLimiter, { lane, tenant }: Entry): void {
    const line: Line = limiter.isProven ? 'proven' : 'untried';
    const before = this.#places.get(limiter);
    if (before?.line === line && before.lane === lane && before.group === tenant) return;
    this.leave(limiter);
    const rank = before?.rank ?? (this.#rank += 1);
    const place = { limiter, line, lane, group: tenant, rank };
    this.#places.set(limiter, place);
    this.#lines[line].add(place);
  }

  /** It wants no slot, or could not use one. */
  leave(limiter: CredentialLimiter): void {
    const place = this.#places.get(limiter);
    if (!place) return;
    this.#places.delete(limiter);
    this.#lines[place.line].remove(place);
  }

  /** Whose turn it is, where a slot is free. */
  next(now: number): CredentialLimiter | undefined {
    if (this.#total.free(now) <= 0) return undefined;
    const proven = this.#lines.proven.first();
    const untried = this.#untried.free(now) > 0 ? this.#lines.untried.first() : undefined;
    const place = this.#lastServed === 'proven' ? (untried ?? proven) : (proven ?? untried);
    return place?.limiter;
  }

  /**
   * Takes a slot for the one whose turn it is. Returns how to give it back; `made`: a call was made
   * with it.
   */
  take(limiter: CredentialLimiter): (now: number, made: boolean) => void {
    const place = this.#places.get(limiter);
    if (!place) throw new Error('a slot is taken out of turn');
    this.#places.delete(limiter);
    this.#lines[place.line].serve(place);
    this.#lastServed = place.line;
    const windows = place.line === 'untried' ? [this.#total, this.#untried] : [this.#total];
    for (const window of windows) window.take();
    return (now, made) => {
      for (const window of windows) window.release(now, made);
    };
  }

  /** Where a call has to end before there is a slot, its end fills it. */
  arm(now: number): void {
    const { proven, untried } = this.#lines;
    let due: number | undefined;
    if (proven.size + untried.size > 0 && this.#total.free(now) <= 0) due = this.#total.nextFree();
    else if (untried.size > 0 && this.#untried.free(now) <= 0) due = this.#untried.nextFree();
    this.#alarm.set(due, now);
  }

  disarm(): void {
    this.#alarm.clear();
  }
}
