import { waitFor } from '../backoff.ts';
import type { Cancel, Clock } from '../clock.ts';
import { FAILURES, PASSED_OVER_MS } from '../waits.ts';

/** A key that the API has answered with 401. */
interface RefusedKey {
  readonly credential: string;
  /** Answers of 401 in a row, those to calls from before the first one left out. */
  refusals: number;
  /** Monotonic ms from which on whoever asks first may try it. */
  tryAt: number;
  /** The object that tries it: no other calls with it. */
  trier: string | undefined;
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

  /** Whether the object may call. If not, it is held, and woken. `mayTry`: also before the time. */
  admits(credential: string, id: string, mayTry: boolean): boolean {
    const key = this.#keys.get(credential);
    if (key && key.trier !== id) {
      const isTime = mayTry || key.tryAt <= this.#clock.monotonic();
      if (key.trier !== undefined || !isTime) return this.#hold(key, id);
      key.trier = id;
    }
    this.forget(id);
    return true;
  }

  /** A call was answered with 401. Returns when the key may be tried again, monotonic ms. */
  refused(credential: string, id: string): number {
    const held = new Set<string>();
    const first = { credential, refusals: 0, tryAt: 0, trier: id, held };
    const key: RefusedKey = this.#keys.get(credential) ?? first;
    this.#keys.set(credential, key);
    this.#hold(key, id);
    if (key.trier === id) {
      key.refusals += 1;
      this.#letTry(key, waitFor(FAILURES.Unauthorized, key.refusals, credential));
    }
    return key.tryAt;
  }

  /** Whoever was admitted wants no call any more, or it ended otherwise. */
  ended(credential: string, id: string, isAnswered: boolean): void {
    const key = this.#keys.get(credential);
    if (key?.trier !== id) return;
    if (!isAnswered) return this.#letTry(key, 0);
    this.#keys.delete(credential);
    for (const one of key.held) this.#wake(one);
  }

  /** The object is held no more. */
  forget(id: string): void {
    for (const { held } of this.#keys.values()) held.delete(id);
  }

  /** Stops the timers. */
  close(): void {
    for (const key of this.#keys.values()) key.cancel?.();
  }

  /** Who is held already keeps its place. */
  #hold(key: RefusedKey, id: string): false {
    if (!key.held.has(id)) this.forget(id);
    key.held.add(id);
    return false;
  }

  #letTry(key: RefusedKey, inMs: number): void {
    key.trier = undefined;
    key.tryAt = this.#clock.monotonic() + inMs;
    this.#wakeNext(key, inMs + PASSED_OVER_MS);
  }

  /** Unless somebody has asked by then. Who was woken and does not ask is passed over. */
  #wakeNext(key: RefusedKey, inMs: number): void {
    key.cancel?.();
    key.cancel = this.#clock.at(inMs, () => {
      if (key.trier !== undefined) return;
      const [next] = key.held;
      if (next === undefined) {
        this.#keys.delete(key.credential);
        return;
      }
      key.held.delete(next);
      this.#wakeNext(key, PASSED_OVER_MS);
      this.#wake(next);
    });
  }
}
