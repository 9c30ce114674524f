/** Targets of which it is remembered; the oldest goes first. */
const MOST = 10_000;

/** What the API took of objects that are gone it holds still: to the others of their target it counts as if they were there. */
export class Departed {
  /** By target, epoch ms. */
  readonly #calledAt = new Map<string, number>();

  /** The API took something of it last at this time, or may have. */
  leaves(target: string, calledAt: number): void {
    this.#calledAt.set(target, Math.max(calledAt, this.calledAt(target) ?? 0));
    const [oldest] = this.#calledAt.keys();
    if (this.#calledAt.size > MOST && oldest !== undefined) this.#calledAt.delete(oldest);
  }

  calledAt(target: string): number | undefined {
    return this.#calledAt.get(target);
  }
}
