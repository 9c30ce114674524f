import { withoutUndefined } from '../common-status.ts';
import { changeFor, isBlocked } from './change.ts';
import { comparison } from './changes.ts';
import { conclude } from './conclude.ts';
import { type Known, tupleKey } from './endpoints.ts';
import { settle, withoutRefusals } from './ledger.ts';
import type { MemoReport } from './memo.ts';
import type { LedgerEntry, Organization } from './resource.ts';
import type { Step } from './step.ts';
import type { Work } from './work.ts';

/** Says how it stands by the last list, where nothing was asked: as a reply with that list would, only that it is not new. */
export function reportJudged(
  object: Organization,
  { work, known, apart }: { readonly work: Work } & Extract<Step, { step: 'judge' }>,
  now: number,
): MemoReport {
  const previous = object.status;
  const all = { now: work.plannedAt, all: work.retryRefused };
  const ledger = ledgerBy(known, withoutRefusals(previous?.privateEndpoints ?? [], all), work);
  const change = changeFor(work.goal, ledger, { entries: known?.entries ?? [], complete: true });
  const reply = { list: known?.entries, shown: previous?.organization ?? {} };
  const { differences } = comparison(work.goal, reply);
  return conclude({
    object,
    work,
    reply,
    status: withoutUndefined({
      ...previous,
      plan: undefined,
      privateEndpoints: ledger.length > 0 ? ledger : undefined,
      pendingChange: undefined,
      differences: differences.length > 0 ? differences : undefined,
      notReported: undefined,
    }),
    change,
    blocked: isBlocked(work.goal, change),
    memo: { ...work.memo, ...(apart && { apart }) },
    notices: [],
    facts: {},
    now,
  });
}

/** An earlier list proves nothing about what was sent since; it only tells what is found, and adopted. */
export function ledgerBy(
  known: Known | undefined,
  ledger: readonly LedgerEntry[],
  { goal }: Pick<Work, 'goal'>,
): readonly LedgerEntry[] {
  if (known?.complete) return settle({ ledger, list: known.entries, goal, askedAt: 0 }).ledger;
  const declared = new Set(goal.endpoints?.map(tupleKey));
  return ledger.flatMap((entry): LedgerEntry[] => {
    if (entry.origin !== 'Adopted' || goal.adopt) return [entry];
    return declared.has(tupleKey(entry)) ? [{ ...entry, origin: 'Found' }] : [];
  });
}
