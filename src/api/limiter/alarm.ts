import type { Cancel, Clock } from '../../clock.ts';

/** One timer, for the next moment at which something can change by time alone. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #set: { readonly due: number; readonly cancel: Cancel } | undefined;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** `due`: monotonic milliseconds; undefined: never. */
  set(due: number | undefined, now: number): void {
    if (due === this.#set?.due) return;
    this.clear();
    if (due === undefined) return;
    const run = (): void => {
      this.#set = undefined;
      this.#ring();
    };
    this.#set = { due, cancel: this.#clock.at(Math.max(due - now, 0), run) };
  }

  clear(): void {
    this.#set?.cancel();
    this.#set = undefined;
  }
}
