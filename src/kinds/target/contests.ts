import { COURTESY_MS } from '../../waits.ts';

/** Since when this process has seen several objects for one target of which none is proven. */
export class Contests {
  readonly #since = new Map<string, number>();
  readonly #monotonic: () => number;

  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** What is left of the younger's courtesy; it begins when this is asked for the first time. */
  courtesyMs(target: string): number {
    const now = this.#monotonic();
    const since = this.#since.get(target) ?? now;
    this.#since.set(target, since);
    return Math.max(0, Math.ceil(since + COURTESY_MS - now));
  }

  /** One of them is proven, or only one is left. */
  end(target: string | undefined): void {
    if (target !== undefined) this.#since.delete(target);
  }
}
