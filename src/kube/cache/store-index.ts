/** Objects by one string that each of them yields; a value nobody has any more takes no memory. */
export class StoreIndex<T extends object> {
  readonly #file: (object: T) => string | undefined;
  /**
   * Most values have one object, and there may be ten thousand of them: a set for each takes 2 MB.
   */
  readonly #single = new Map<string, T>();
  readonly #several = new Map<string, Set<T>>();

  constructor(file: (object: T) => string | undefined) {
    this.#file = file;
  }

  /** Objects filed under `value`, in the order in which their last versions came. */
  find(value: string): T[] {
    const single = this.#single.get(value);
    return single ? [single] : [...(this.#several.get(value) ?? [])];
  }

  /** Files `now` in place of `before`; either may be absent. */
  move(before: T | undefined, now: T | undefined): void {
    if (before) this.#remove(before);
    if (now) this.#add(now);
  }

  #add(object: T): void {
    const value = this.#file(object);
    if (value === undefined) return;
    const several = this.#several.get(value);
    const single = this.#single.get(value);
    if (several) several.add(object);
    else if (!single) this.#single.set(value, object);
    else {
      this.#single.delete(value);
      this.#several.set(value, new Set([single, object]));
    }
  }

  #remove(object: T): void {
    const value = this.#file(object);
    if (value === undefined) return;
    if (this.#single.get(value) === object) this.#single.delete(value);
    const several = this.#several.get(value);
    several?.delete(object);
    if (several?.size === 0) this.#several.delete(value);
  }
}
