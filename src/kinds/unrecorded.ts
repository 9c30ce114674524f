/** Targets of which a debt is remembered; the oldest goes first. */
const MOST = 1_000;

/**
 * Writes that no status tells of, because somebody else's word came before theirs or their object was gone. What the API holds may
 * be theirs, whatever the status of the object says that stands for the target now: it sends, or looks, once more.
 */
export class Unrecorded {
  /** By store key: a write that is yet to be told of. */
  readonly #sent = new Map<string, { readonly target: string; readonly uid: string; readonly isPayment: boolean }>();
  readonly #owed = new Set<string>();
  readonly #onOwed: (target: string, visited?: string) => void;

  /** `onOwed`: whoever stands for this target is to be visited, but for the one with this key, which is being visited. */
  constructor(onOwed: (target: string, visited?: string) => void) {
    this.#onOwed = onOwed;
  }

  /** The first byte of a call is about to leave. It pays what is owed to its target, once it has succeeded and a status tells of it. */
  begins(call: {
    readonly key: string;
    readonly target: string;
    readonly uid: string;
    readonly isWrite: boolean;
  }): void {
    const { key, target, uid, isWrite } = call;
    // Before it no other one of its target is at work: what it finds, or overwrites, is whatever they have done.
    const others = [...this.#sent].filter(([other, write]) => other !== key && write.target === target);
    for (const [other] of others) this.#sent.delete(other);
    const isPayment = this.#owed.delete(target) || others.length > 0;
    if (isWrite || isPayment) this.#sent.set(key, { target, uid, isPayment });
  }

  /** The call has shown nothing, and put nothing in place of what was there: what it was to pay is owed all the same. */
  failed(key: string): void {
    const call = this.#sent.get(key);
    if (call?.isPayment) this.#owe(call.target);
  }

  told(key: string): void {
    this.#sent.delete(key);
  }

  /** Nobody will be told any more. */
  lost(key: string): void {
    const write = this.#sent.get(key);
    if (!write) return;
    this.#sent.delete(key);
    this.#owe(write.target);
    this.#onOwed(write.target);
  }

  /**
   * Asked when a visit begins, for the object with this key and uid, which another may have had the key of before. `goesOn`: this visit
   * goes on with what was sent, and a status is to tell of it; or none will.
   */
  isOwed(
    target: string | undefined,
    { key, uid, goesOn }: { readonly key: string; readonly uid: string; readonly goesOn: boolean },
  ): boolean {
    const write = this.#sent.get(key);
    // Were it woken too, a visit that fails each time after it has sent would follow at once, over its wait.
    if (write && (write.uid !== uid || !goesOn)) {
      this.#sent.delete(key);
      this.#owe(write.target);
      this.#onOwed(write.target, write.target === target ? key : undefined);
    }
    return target !== undefined && this.#owed.has(target);
  }

  #owe(target: string): void {
    this.#owed.add(target);
    const [oldest] = this.#owed;
    if (this.#owed.size > MOST && oldest !== undefined) this.#owed.delete(oldest);
  }
}
