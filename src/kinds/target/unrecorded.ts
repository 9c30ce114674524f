/**
 * Targets of which a debt is remembered, all of a large installation while its API is away; the
 * oldest goes first.
 */
const MOST = 10_000;

/**
 * Writes that no status tells of, because somebody else's word came before theirs or their object
 * was gone. What the API holds may be theirs, whatever the status of the object says that stands
 * for the target now: it sends, or looks, once more. Of a write without an answer only the status
 * of its own object tells, and only until the next call of that one, or its end.
 */
export class Unrecorded {
  /** By store key: a write that is yet to be told of. */
  readonly #sent = new Map<
    string,
    { readonly target: string; readonly uid: string; readonly pays?: string }
  >();
  /** By target: the uid of the one object that knows of it by its own status; '': none does. */
  readonly #owed = new Map<string, string>();
  readonly #onOwed: (target: string, reconciled?: string) => void;

  /**
   * `onOwed`: wakes whoever stands for this target, but for the one with this key, which is being
   * reconciled.
   */
  constructor(onOwed: (target: string, reconciled?: string) => void) {
    this.#onOwed = onOwed;
  }

  /**
   * The first byte of a call is about to leave. It pays what is owed to its target, once it has
   * succeeded and a status tells of it.
   */
  begins(call: {
    readonly key: string;
    readonly target: string;
    readonly uid: string;
    readonly isWrite: boolean;
  }): void {
    const { key, target, uid, isWrite } = call;
    // Before it no other one of its target is at work: what it finds, or overwrites, is whatever
    // they have done.
    const others = [...this.#sent].filter(
      ([other, write]) => other !== key && write.target === target,
    );
    for (const [other] of others) this.#sent.delete(other);
    const pays = others.length > 0 ? '' : this.#owed.get(target);
    this.#owed.delete(target);
    if (isWrite || pays !== undefined)
      this.#sent.set(key, { target, uid, ...(pays !== undefined && { pays }) });
  }

  /**
   * The call has not shown what is there, nor surely put anything in its place: what it was to pay
   * is owed all the same.
   */
  failed(key: string): void {
    const call = this.#sent.get(key);
    if (call?.pays !== undefined) this.#owe(call.target, call.pays);
  }

  /**
   * `onlyToItself`: what stands in the status says enough to this object, but nothing lasting to
   * the others.
   */
  told(key: string, onlyToItself = false): void {
    const write = this.#sent.get(key);
    this.#sent.delete(key);
    if (write && onlyToItself) this.#owe(write.target, write.uid);
  }

  /** Another process may have led since, and gone by what each status told. */
  takeOver(): void {
    for (const [target, knowing] of this.#owed) if (knowing !== '') this.#owed.delete(target);
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
   * Asked when a reconcile begins, for the object with this key and uid, which another may have had
   * the key of before. `goesOn`: this reconcile goes on with what was sent, and a status is to tell
   * of it; or none will.
   */
  isOwed(
    target: string | undefined,
    { key, uid, goesOn }: { readonly key: string; readonly uid: string; readonly goesOn: boolean },
  ): boolean {
    const write = this.#sent.get(key);
    // Were it woken too, a reconcile that fails each time after it has sent would follow at once,
    // over its wait.
    if (write && (write.uid !== uid || !goesOn)) {
      this.#sent.delete(key);
      this.#owe(write.target);
      this.#onOwed(write.target, write.target === target ? key : undefined);
    }
    return target !== undefined && (this.#owed.get(target) ?? uid) !== uid;
  }

  #owe(target: string, knowing = ''): void {
    this.#owed.set(target, (this.#owed.get(target) ?? knowing) === knowing ? knowing : '');
    const [oldest] = this.#owed.keys();
    if (this.#owed.size > MOST && oldest !== undefined) this.#owed.delete(oldest);
  }
}
