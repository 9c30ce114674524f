import type { LedgerEntry } from '../resource.ts';

/** Added or removed, and not seen to be so: the API may be at work on it. */
export function openEntries(ledger: readonly LedgerEntry[] = []): readonly LedgerEntry[] {
  return ledger.filter(({ state }) => state === 'Unconfirmed' || state === 'Removing');
}

/** Epoch ms: when what one look has missed is looked at again. */
export function secondLooks(ledger: readonly LedgerEntry[] = []): number[] {
  const missing = ledger.filter(({ state }) => state === 'Missing');
  return missing.flatMap(({ nextAttemptTime }) =>
    nextAttemptTime === undefined ? [] : [Date.parse(nextAttemptTime)],
  );
}
