import type { Clock } from '../../clock.ts';

const REPEAT_MS = 10 * 60_000;
const BURST = 25;
const REFILL_MS = 5 * 60_000;

/** Entries of each of the two maps; the oldest go first. Full, they take 3 MB. */
const REMEMBERED = 4_096;

interface Bucket {
  tokens: number;
  at: number;
}

/**
 * Decides whether an event is worth sending: not the same within 10 minutes, and 25 per object,
 * then one per 5 minutes.
 */
export class EventLimits {
  readonly #clock: Clock;
  /** Digest of what was said, and when. */
  readonly #said = new Map<string, number>();
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `content` tells identical events of one object. What it lets through counts as sent. */
  admit(uid: string, content: string): boolean {
    const now = this.#clock.monotonic();
    const said = this.#said.get(content);
    if (said !== undefined && now - said < REPEAT_MS) return false;
    if (!this.#take(uid, now)) return false;
    remember(this.#said, content, now);
    return true;
  }

  #take(uid: string, now: number): boolean {
    const bucket = this.#buckets.get(uid) ?? { tokens: BURST, at: now };
    const refilled = Math.floor((now - bucket.at) / REFILL_MS);
    const tokens = Math.min(BURST, bucket.tokens + refilled);
    // A full bucket gains nothing by waiting; one that is not keeps the part of the time that made
    // no whole token.
    const at = tokens === BURST ? now : bucket.at + refilled * REFILL_MS;
    remember(this.#buckets, uid, { tokens: Math.max(0, tokens - 1), at });
    return tokens > 0;
  }
}

/** Sets it as the newest, and forgets the oldest beyond the bound. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= REMEMBERED) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
