/** Targets of which a debt is remembered; the oldest goes first. */
const MOST = 1_000;

/** What no status tells of: a `write`, so that what the API holds may be that; or only a `look`, which may have shown what nobody else has seen. */
export type Debt = 'write' | 'look';

interface Sent {
  readonly target: string;
  readonly uid: string;
  readonly debt: Debt;
}

/**
 * Calls that no status tells of, because somebody else's word came before theirs or their object was gone. Whatever the status of
 * the object says that stands for the target now: it sends, or looks, once more.
 */
export class Unrecorded {
  /** By store key: a call that is yet to be told of, and what it was to pay. */
  readonly #sent = new Map<string, Sent>();
  readonly #owed = new Map<string, Debt>();
  readonly #onOwed: (target: string, visited?: string) => void;

  /** `onOwed`: whoever stands for this target is to be visited, but for the one with this key, which is being visited. */
  constructor(onOwed: (target: string, visited?: string) => void) {
    this.#onOwed = onOwed;
  }

  /** The first byte of a call is about to leave. It pays what is owed to its target, once a status tells of it. */
  begins(call: {
    readonly key: string;
    readonly target: string;
    readonly uid: string;
    readonly isWrite: boolean;
  }): void {
    const { key, target, uid, isWrite } = call;
    const debts = [this.#owed.get(target)];
    this.#owed.delete(target);
    // Before it no other one of its target is at work: what it finds, or overwrites, is whatever they have done.
    for (const [other, sent] of this.#sent) {
      if (sent.target !== target) continue;
      debts.push(sent.debt);
      this.#sent.delete(other);
    }
    this.#sent.set(key, { target, uid, debt: isWrite || debts.includes('write') ? 'write' : 'look' });
  }

  told(key: string): void {
    this.#sent.delete(key);
  }

  /** Nobody will be told any more. */
  lost(key: string): void {
    const sent = this.#sent.get(key);
    if (!sent) return;
    this.#owe(key, sent);
    this.#onOwed(sent.target);
  }

  /**
   * Asked when a visit begins, for the object with this key and uid, which another may have had the key of before. `goesOn`: this visit
   * goes on with what was sent, and a status is to tell of it; or none will.
   */
  owed(
    target: string | undefined,
    { key, uid, goesOn }: { readonly key: string; readonly uid: string; readonly goesOn: boolean },
  ): Debt | undefined {
    const sent = this.#sent.get(key);
    // Were it woken too, a visit that fails each time after it has sent would follow at once, over its wait.
    if (sent && (sent.uid !== uid || !goesOn)) {
      this.#owe(key, sent);
      this.#onOwed(sent.target, sent.target === target ? key : undefined);
    }
    return target === undefined ? undefined : this.#owed.get(target);
  }

  #owe(key: string, { target, debt }: Sent): void {
    this.#sent.delete(key);
    this.#owed.set(target, this.#owed.get(target) === 'write' ? 'write' : debt);
    const [oldest] = this.#owed.keys();
    if (this.#owed.size > MOST && oldest !== undefined) this.#owed.delete(oldest);
  }
}
