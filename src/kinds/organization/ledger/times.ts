import { SECOND_LOOK_MS, SURELY_OURS_MS } from '../../../waits.ts';
import { wholeSecond } from '../../status/canonical.ts';
import type { LedgerEntry } from '../resource.ts';
import type { Evidence } from './ledger.ts';

/**
 * Whether an entry is Missing for so long. No clock that was put back makes it later than this
 * process knows it to be.
 */
export function isMissedFor(
  ms: number,
  entry: LedgerEntry,
  { now, missedAt }: Pick<Evidence, 'now' | 'missedAt'>,
): boolean {
  const seenAt = missedAt(entry) ?? Number.POSITIVE_INFINITY;
  return entry.state === 'Missing' && now - Math.min(notedAt(entry, now), seenAt) >= ms;
}

/**
 * When a look first missed it, by the status. A time that lies too far ahead comes from a clock
 * that was put back: then it is long past.
 */
function notedAt({ nextAttemptTime }: LedgerEntry, now: number): number {
  const lookAgainAt = Date.parse(nextAttemptTime ?? '');
  const isSane = lookAgainAt <= wholeSecond(now + SECOND_LOOK_MS);
  return isSane ? lookAgainAt - SECOND_LOOK_MS : Number.NEGATIVE_INFINITY;
}

/**
 * A time ahead of the clock counts as long past, but for what rounding up to a second adds; and no
 * clock that was put back makes it later.
 */
export function isSurelyOurs(
  sentAt: number,
  { now, atWorkMs, settlesAt }: Pick<Evidence, 'now' | 'atWorkMs' | 'settlesAt'>,
): boolean {
  return now - sentAt > -1_000 && now - Math.min(sentAt, settlesAt - atWorkMs) <= SURELY_OURS_MS;
}

/** Added or removed, and not seen to be so: the API may be at work on it. */
export function openEntries(ledger: readonly LedgerEntry[] = []): readonly LedgerEntry[] {
  return ledger.filter(({ state }) => state === 'Unconfirmed' || state === 'Removing');
}

/** The next of these times (epoch ms) that lies ahead, if one does. */
export function nextOf(times: readonly number[], now: number): number | undefined {
  const ahead = times.filter((at) => at > now);
  return ahead.length > 0 ? Math.min(...ahead) : undefined;
}

/** Epoch ms: when what one look has missed is looked at again. */
export function secondLooks(ledger: readonly LedgerEntry[] = []): number[] {
  const missing = ledger.filter(({ state }) => state === 'Missing');
  return missing.flatMap(({ nextAttemptTime }) =>
    nextAttemptTime === undefined ? [] : [Date.parse(nextAttemptTime)],
  );
}
