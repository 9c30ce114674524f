/** Targets of which a debt is remembered; the oldest goes first. */
const MOST = 1_000;

/**
 * Writes that no status tells of, because somebody else's word came before theirs or their object was gone. What the API holds may
 * be theirs, whatever the status of the object says that stands for the target now: it sends, or looks, once more.
 */
export class Unrecorded {
  /** By store key: the target of a write that is yet to be told of. */
  readonly #sent = new Map<string, string>();
  readonly #owed = new Set<string>();

  /** The first byte of a write is about to leave; it pays what was owed. */
  sent(key: string, target: string): void {
    this.#sent.set(key, target);
  }

  /** A call for the target is about to leave. */
  paid(target: string): void {
    this.#owed.delete(target);
  }

  told(key: string): void {
    this.#sent.delete(key);
  }

  /** Nobody will be told any more. */
  lost(key: string): void {
    const target = this.#sent.get(key);
    if (target === undefined) return;
    this.#sent.delete(key);
    this.#owed.add(target);
    for (const oldest of this.#owed) {
      if (this.#owed.size <= MOST) return;
      this.#owed.delete(oldest);
    }
  }

  isOwed(target: string | undefined): boolean {
    return target !== undefined && this.#owed.has(target);
  }
}
