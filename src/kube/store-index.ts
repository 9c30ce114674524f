/** Objects by one string that each of them yields; a value nobody has any more takes no memory. */
export class StoreIndex<T extends object> {
  readonly #file: (object: T) => string | undefined;
  readonly #objects = new Map<string, Set<T>>();

  constructor(file: (object: T) => string | undefined) {
    this.#file = file;
  }

  /** Objects filed under `value`, in the order in which their last versions came. */
  find(value: string): T[] {
    return [...(this.#objects.get(value) ?? [])];
  }

  /** Files `now` in place of `before`; either may be absent. */
  move(before: T | undefined, now: T | undefined): void {
    if (before) this.#remove(before);
    if (now) this.#add(now);
  }

  #add(object: T): void {
    const value = this.#file(object);
    if (value === undefined) return;
    const there = this.#objects.get(value);
    if (there) there.add(object);
    else this.#objects.set(value, new Set([object]));
  }

  #remove(object: T): void {
    const value = this.#file(object);
    const there = value === undefined ? undefined : this.#objects.get(value);
    if (value === undefined || !there) return;
    there.delete(object);
    if (there.size === 0) this.#objects.delete(value);
  }
}
