/**
 * Bounds how many calls fall into any stretch of `perMs`. A slot comes free `perMs` after its call
 * has ended, not started: the server counts when a request arrives, which is somewhere between the
 * two.
 */
export class RateWindow {
  readonly #calls: number;
  readonly #perMs: number;
  #taken = 0;
  /** When used slots come free, ascending. */
  #freeing: number[] = [];

  /** 0 calls: no bound. */
  constructor({ calls, perMs }: { readonly calls: number; readonly perMs: number }) {
    this.#calls = calls === 0 ? Number.POSITIVE_INFINITY : calls;
    this.#perMs = perMs;
  }

  /** Slots that can be taken now. */
  free(now: number): number {
    const used = this.#freeing.findIndex((time) => time > now);
    if (used !== 0) this.#freeing.splice(0, used === -1 ? this.#freeing.length : used);
    return this.#calls - this.#taken - this.#freeing.length;
  }

  /** When the next used slot comes free; undefined while none is used up. */
  nextFree(): number | undefined {
    return this.#freeing[0];
  }

  take(): void {
    this.#taken++;
  }

  /** The call of a taken slot has ended, or was never made. */
  release(now: number, made: boolean): void {
    this.#taken--;
    if (made && Number.isFinite(this.#calls)) this.#freeing.push(now + this.#perMs);
  }
}
