/**
 * How many workers each namespace holds. Once a second one has had any, a namespace gets no more
 * while it holds as many as are free: so one holds at most half of all, rounded up, and k of them
 * leave about one part in k + 1. What is held for others must be free before they come, as a
 * reconcile that hangs cannot be taken back.
 */
export class Shares {
  readonly #held = new Map<string, number>();
  #first: string | undefined;
  #areSeveral = false;

  /** `free`: workers that wait for a key. */
  mayTake(namespace: string, free: number): boolean {
    return !this.#areSeveral || (this.#held.get(namespace) ?? 0) < free;
  }

  take(namespace: string): void {
    this.#first ??= namespace;
    if (namespace !== this.#first) this.#areSeveral = true;
    this.#held.set(namespace, (this.#held.get(namespace) ?? 0) + 1);
  }

  giveBack(namespace: string): void {
    const left = (this.#held.get(namespace) ?? 0) - 1;
    if (left > 0) this.#held.set(namespace, left);
    else this.#held.delete(namespace);
  }
}
