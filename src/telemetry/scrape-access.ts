import { createHash } from 'node:crypto';
import { type Clock, pause } from '../clock.ts';

/** What Kubernetes says of whoever holds a token. */
export type Standing =
  | { readonly is: 'allowed' | 'unauthenticated' }
  | { readonly is: 'forbidden'; readonly user: string }
  /** Nobody gets in for it. `why` names no token and no address. */
  | { readonly is: 'unknown'; readonly status: 500 | 503; readonly why: string };

/** Asks Kubernetes about a token; in bounded time. */
export type Review = (token: string) => Promise<Standing>;

const ANSWER_LASTS_MS = 10_000;
const MOST_ANSWERS = 256;
const MOST_PROVEN = 16;
/** With these two, ten reviews a second for all whose tokens have never been good. */
const STRANGERS_AT_ONCE = 4;
const STRANGER_TAKES_MS = 400;
const BUSY: Standing = {
  is: 'unknown',
  status: 503,
  why: 'too many unknown tokens are being tried; try again in a second',
};

interface Held {
  readonly standing: Promise<Standing>;
  /** By the monotonic clock; never while it is still asked. */
  until: number;
}

/**
 * A review for few: an answer holds for 10 s, equal questions share one, and whoever tries tokens
 * can make the operator send only some reviews a second. Those that were let in before do not wait
 * behind them. Of a token only its digest is kept.
 */
export function createScrapeAccess(review: Review, clock: Clock): Review {
  /** By the digest of the token, the oldest first. */
  const answers = new Map<string, Held>();
  /** Digests of those that were let in last. */
  const proven = new Set<string>();
  let strangers = 0;

  function takeTurn(asked: Promise<unknown>): void {
    strangers += 1;
    void Promise.allSettled([asked, pause(clock, STRANGER_TAKES_MS)]).then(() => {
      strangers -= 1;
    });
  }

  function hold(digest: string, held: Held): void {
    answers.delete(digest);
    answers.set(digest, held);
    if (answers.size > MOST_ANSWERS) forgetOldest(answers);
  }

  function remember(digest: string, { is }: Standing): void {
    if (is === 'unknown') return;
    proven.delete(digest);
    if (is === 'allowed') proven.add(digest);
    if (proven.size > MOST_PROVEN) forgetOldest(proven);
  }

  return async (token) => {
    const digest = createHash('sha256').update(token).digest('base64');
    const known = answers.get(digest);
    if (known && clock.monotonic() < known.until) return known.standing;
    const isStranger = !proven.has(digest);
    if (isStranger && strangers >= STRANGERS_AT_ONCE) return BUSY;
    const held: Held = { standing: review(token), until: Number.POSITIVE_INFINITY };
    hold(digest, held);
    if (isStranger) takeTurn(held.standing);
    try {
      const standing = await held.standing;
      remember(digest, standing);
      held.until = clock.monotonic() + (standing.is === 'unknown' ? 0 : ANSWER_LASTS_MS);
      return standing;
    } catch (error) {
      answers.delete(digest);
      throw error;
    }
  };
}

function forgetOldest(from: Map<string, unknown> | Set<string>): void {
  const [oldest] = from.keys();
  if (oldest !== undefined) from.delete(oldest);
}
