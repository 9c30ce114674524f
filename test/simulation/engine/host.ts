import type { Cancel, Clock } from '../../../src/clock.ts';
import type { Timeline } from './timeline.ts';

/**
 * What a process runs on: it may stand still for a while and may die at any moment. Everything that reaches a process passes through here, its timers too.
 */
export class Host implements Clock {
  readonly name: string;
  readonly #timeline: Timeline;
  readonly #booted: number;
  readonly #wall: number;
  #alive = true;
  #waiting: (() => void)[] | undefined;

  /** `wall`: what the wall clock says at the beginning of the timeline, epoch ms. */
  constructor(name: string, timeline: Timeline, wall: number) {
    this.name = name;
    this.#timeline = timeline;
    this.#wall = wall;
    this.#booted = timeline.now;
  }

  get alive(): boolean {
    return this.#alive;
  }

  get frozen(): boolean {
    return this.#waiting !== undefined;
  }

  now(): number {
    return this.#wall + this.#timeline.now;
  }

  monotonic(): number {
    return this.#timeline.now - this.#booted;
  }

  at(delayMs: number, run: () => void): Cancel {
    let over = false;
    const cancel = this.#timeline.at(delayMs, () => {
      this.reach(() => {
        if (!over) run();
      });
    });
    return () => {
      over = true;
      cancel();
    };
  }

  /** Something comes to the process: now, when it goes on, or never. */
  reach(run: () => void): void {
    if (!this.#alive) return;
    if (this.#waiting) this.#waiting.push(run);
    else run();
  }

  freeze(): void {
    this.#waiting ??= [];
  }

  /** What came meanwhile comes now, in the order in which it came, each as an event of its own. */
  thaw(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const run of waiting) this.#timeline.at(0, () => this.reach(run));
  }

  /** Nothing comes from it or to it any more. */
  die(): void {
    this.#alive = false;
    this.#waiting = undefined;
  }
}
