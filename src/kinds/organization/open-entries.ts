import type { LedgerEntry } from './resource.ts';

/** Added or removed, and not seen to be so: the API may be at work on it. */
export function openEntries(ledger: readonly LedgerEntry[] = []): readonly LedgerEntry[] {
  return ledger.filter(({ state }) => state === 'Unconfirmed' || state === 'Removing');
}

/** Epoch ms: when what a list has left open is looked at again. */
export function owedLooks(ledger: readonly LedgerEntry[] = []): number[] {
  const owed = [...openEntries(ledger), ...ledger.filter(({ state }) => state === 'Missing')];
  return owed.flatMap(({ nextAttemptTime }) => (nextAttemptTime === undefined ? [] : [Date.parse(nextAttemptTime)]));
}
