import { waitFor } from '../backoff.ts';
import type { Cancel, Clock } from '../clock.ts';
import { FAILURES, PASSED_OVER_MS } from '../waits.ts';

/** A key that the API has answered with 401. */
interface RefusedKey {
  /** Answers of 401 in a row, those to calls from before the first one left out. */
  refusals: number;
  /** The object that tries it: no other calls with it. */
  trier: string | undefined;
  /** The object that was woken to try it next. */
  turn: string | undefined;
  /** The objects that wait to be woken, in order. */
  readonly held: Set<string>;
  cancel?: Cancel;
}

/** After a 401 one try at a time, until one is answered otherwise. */
export class RefusedKeys {
  readonly #clock: Clock;
  readonly #wake: (id: string) => void;
  /** By credential. */
  readonly #keys = new Map<string, RefusedKey>();

  constructor(clock: Clock, wake: (id: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  get size(): number {
    return this.#keys.size;
  }

  /** The object was refused, and not woken since. */
  isHeld(id: string): boolean {
    return [...this.#keys.values()].some(({ held }) => held.has(id));
  }

  /** Whether the object may call. If not, it is held, and woken. `mayTry`: also out of turn. */
  admits(credential: string, id: string, mayTry: boolean): boolean {
    const key = this.#keys.get(credential);
    if (key && key.trier !== id) {
      if (key.trier !== undefined || !(mayTry || key.turn === id)) {
        key.held.add(id);
        return false;
      }
      key.trier = id;
    }
    this.forget(id);
    return true;
  }

  /**
   * A call was answered with 401. Returns when this object tries the key again, monotonic ms, where
   * it is the next; else it has no time of its own.
   */
  refused(credential: string, id: string): number | undefined {
    const first: RefusedKey = { refusals: 0, trier: id, turn: undefined, held: new Set() };
    const key = this.#keys.get(credential) ?? first;
    this.#keys.set(credential, key);
    key.held.add(id);
    if (key.trier !== id) return undefined;
    key.refusals += 1;
    const waitMs = waitFor(FAILURES.Unauthorized, key.refusals, credential);
    this.#letTry(credential, key, waitMs);
    const [next] = key.held;
    return next === id ? this.#clock.monotonic() + waitMs : undefined;
  }

  /** Whoever was admitted wants no call any more, or it ended otherwise. */
  ended(credential: string, id: string, isAnswered: boolean): void {
    const key = this.#keys.get(credential);
    if (key?.trier !== id) return;
    if (!isAnswered) return this.#letTry(credential, key, 0);
    this.#keys.delete(credential);
    for (const one of key.held) this.#wake(one);
  }

  /** The object is held no more. */
  forget(id: string): void {
    for (const { held } of this.#keys.values()) held.delete(id);
  }

  /** The next, unless somebody has asked by then. Who was woken and does not ask is passed over. */
  #letTry(credential: string, key: RefusedKey, inMs: number): void {
    key.trier = undefined;
    key.turn = undefined;
    key.cancel?.();
    key.cancel = this.#clock.at(inMs, () => {
      const [next] = key.held;
      if (key.trier !== undefined) return;
      if (next === undefined) {
        this.#keys.delete(credential);
        return;
      }
      key.held.delete(next);
      this.#letTry(credential, key, PASSED_OVER_MS);
      key.turn = next;
      this.#wake(next);
    });
  }
}
