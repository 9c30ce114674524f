/** Most targets with such a write: all of a large installation while its API is away. */
const MOST = 10_000;

/** Known to no object by its own status. */
const NOBODY = '';

/** A call whose outcome no status tells of yet. */
interface OpenCall {
  readonly target: string;
  readonly uid: string;
  /**
   * It makes up for an unrecorded write of its target, once it has succeeded and a status tells of
   * it. The value is that of `#targets` for that write.
   */
  readonly makesUpFor?: string;
}

/**
 * Writes that no status tells of: another process's status was written in place of theirs, or
 * their object was gone. The API may hold what they sent, so whoever holds the target now sends, or
 * looks, once more. A write without an answer is told of by the status of its own object alone,
 * until the next call of that object, or its deletion.
 */
export class Unrecorded {
  /** By store key. */
  readonly #calls = new Map<string, OpenCall>();
  /**
   * Targets with an unrecorded write, and the uid of the one object that knows of it by its own
   * status.
   */
  readonly #targets = new Map<string, string>();
  readonly #wake: (target: string, but?: string) => void;

  /** `wake`: has all objects of this target reconciled but the one with this key. */
  constructor(wake: (target: string, but?: string) => void) {
    this.#wake = wake;
  }

  /** The first byte of a call is about to leave. */
  begins(call: {
    readonly key: string;
    readonly target: string;
    readonly uid: string;
    readonly isWrite: boolean;
  }): void {
    const { key, target, uid, isWrite } = call;
    // No call of another object for this target is at work any more: this one finds, or overwrites,
    // what they have done.
    const others: string[] = [];
    this.#calls.forEach((open, other) => {
      if (other !== key && open.target === target) others.push(other);
    });
    for (const other of others) this.#calls.delete(other);
    const makesUpFor = others.length > 0 ? NOBODY : this.#targets.get(target);
    this.#targets.delete(target);
    if (isWrite || makesUpFor !== undefined)
      this.#calls.set(key, { target, uid, ...(makesUpFor !== undefined && { makesUpFor }) });
  }

  /** The call has not shown what is there, nor surely put anything in its place. */
  failed(key: string): void {
    const call = this.#calls.get(key);
    if (call?.makesUpFor !== undefined) this.#add(call.target, call.makesUpFor);
  }

  /**
   * A status tells of the call. `onlyToItself`: it says enough to this object, but nothing lasting
   * to the others.
   */
  told(key: string, onlyToItself = false): void {
    const call = this.#calls.get(key);
    this.#calls.delete(key);
    if (call && onlyToItself) this.#add(call.target, call.uid);
  }

  /** Another process may have led since, and gone by what each status told. */
  takeOver(): void {
    for (const [target, knownTo] of this.#targets)
      if (knownTo !== NOBODY) this.#targets.delete(target);
  }

  /** No status will ever tell of the call. `but`: the key that is being reconciled already. */
  lost(key: string, but?: string): void {
    const call = this.#calls.get(key);
    if (!call) return;
    this.#calls.delete(key);
    this.#add(call.target, NOBODY);
    this.#wake(call.target, but);
  }

  /**
   * A reconcile begins. `goesOn`: it goes on with what the call of an earlier one has begun, and a
   * status is to tell of that; otherwise none will, nor where the key was another object's then.
   */
  reconciles(object: {
    readonly key: string;
    readonly uid: string;
    readonly target: string | undefined;
    readonly goesOn: boolean;
  }): void {
    const { key, uid, target, goesOn } = object;
    const call = this.#calls.get(key);
    if (!call || (call.uid === uid && goesOn)) return;
    // Were it woken too, a reconcile that fails each time after it has sent would follow at once,
    // over its wait.
    this.lost(key, call.target === target ? key : undefined);
  }

  /** Whether the target has an unrecorded write that the status of this object does not tell of. */
  has(target: string | undefined, uid: string): boolean {
    return target !== undefined && (this.#targets.get(target) ?? uid) !== uid;
  }

  #add(target: string, knownTo: string): void {
    const before = this.#targets.get(target) ?? knownTo;
    this.#targets.set(target, before === knownTo ? knownTo : NOBODY);
    const [oldest] = this.#targets.keys();
    if (this.#targets.size > MOST && oldest !== undefined) this.#targets.delete(oldest);
  }
}
