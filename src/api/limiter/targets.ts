/**
 * One call in flight per target, over all credentials; whoever comes second is parked until the
 * first has ended.
 */
export class Targets<T extends { readonly target: string }> {
  readonly #busy = new Map<string, Set<T>>();

  isBusy(target: string): boolean {
    return this.#busy.has(target);
  }

  occupy(target: string): void {
    this.#busy.set(target, new Set());
  }

  /** Ends the occupation and returns who was parked. */
  release(target: string): readonly T[] {
    const parked = this.#busy.get(target);
    this.#busy.delete(target);
    return parked ? [...parked] : [];
  }

  /** The target must be busy. */
  park(entry: T): void {
    this.#busy.get(entry.target)?.add(entry);
  }

  unpark(entry: T): void {
    this.#busy.get(entry.target)?.delete(entry);
  }
}
