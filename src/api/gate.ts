import { waitFor } from '../backoff.ts';

const PROBE_WAIT = { firstMs: 30_000, capMs: 30 * 60_000 };

/** Waits of ±20 % times this lie above every own back-off, so that the object whose attempt comes due probes first. */
const TAKEOVER = 1.5;

/** Stands before a credential that was answered with 401: one key at a time may probe, the others are remembered. */
export class AuthGate {
  readonly #seed: string;
  readonly #waiting = new Set<string>();
  #failures = 0;
  #takeoverAt = 0;
  #prober: string | undefined;
  #appointed: string | undefined;

  constructor(credential: string) {
    this.#seed = credential;
  }

  get closed(): boolean {
    return this.#failures > 0;
  }

  /** Whether this key may call: always through an open gate, else as the one prober. */
  admits(key: string, probe: boolean): boolean {
    if (!this.closed || this.#prober === key) return true;
    if (this.#prober !== undefined || !(probe || this.#appointed === key)) return false;
    this.#prober = key;
    this.#appointed = undefined;
    this.#waiting.delete(key);
    return true;
  }

  isProber(key: string): boolean {
    return this.#prober === key;
  }

  /** Remembers a key to be woken when the gate opens. */
  remember(key: string): void {
    this.#waiting.add(key);
  }

  /** A call was answered with 401. One that began before the gate closed adds nothing to the count of failed probes. */
  fail(key: string, now: number): void {
    if (!this.closed || this.#prober === key) {
      this.#failures++;
      this.#takeoverAt = now + TAKEOVER * waitFor(PROBE_WAIT, this.#failures, this.#seed);
      this.#prober = undefined;
    }
    this.#waiting.add(key);
  }

  /** A probe was answered otherwise: nobody waits any more. Returns who did, in order. */
  open(): readonly string[] {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    this.#failures = 0;
    this.#prober = undefined;
    this.#appointed = undefined;
    return waiting;
  }

  /** A probe ended without telling anything, or did not take place. */
  endProbe(key: string, now: number): void {
    if (this.#prober !== key) return;
    this.#prober = undefined;
    this.#takeoverAt = now + TAKEOVER * waitFor(PROBE_WAIT, this.#failures, this.#seed);
  }

  /** When somebody has to take the probing over; undefined while there is nothing to do. */
  takeoverDue(): number | undefined {
    return this.closed && this.#prober === undefined && this.#waiting.size > 0 ? this.#takeoverAt : undefined;
  }

  /** Appoints the key that has waited longest; it goes to the end, so that the next takeover falls to another. */
  appoint(now: number): string | undefined {
    const [key] = this.#waiting;
    if (key === undefined) return undefined;
    this.#waiting.delete(key);
    this.#waiting.add(key);
    this.#appointed = key;
    this.#takeoverAt = now + TAKEOVER * waitFor(PROBE_WAIT, this.#failures, this.#seed);
    return key;
  }

  isAppointed(key: string): boolean {
    return this.#appointed === key;
  }

  forget(key: string): void {
    this.#waiting.delete(key);
    if (this.#appointed === key) this.#appointed = undefined;
  }
}
