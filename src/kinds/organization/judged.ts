import { currentReady, withoutUndefined } from '../common-status.ts';
import { reportFailure } from '../failure-report.ts';
import { changeFor, isBlocked } from './change.ts';
import { comparison } from './changes.ts';
import { conclude } from './conclude.ts';
import { ledgerBy } from './ledger.ts';
import type { MemoReport } from './memo.ts';
import type { Organization } from './resource.ts';
import type { Step } from './step.ts';
import { merged } from './underway.ts';
import type { Work } from './work.ts';

/** Says how it stands by the last list, where nothing was asked: as a reply with that list would, only that it is not new. */
export function reportJudged(
  object: Organization,
  { work, known, apart, ledger: before }: { readonly work: Work } & Extract<Step, { step: 'judge' }>,
  now: number,
): MemoReport {
  const previous = object.status;
  const ledger = ledgerBy(known, before, work.goal);
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

/** What was sent may still be at work, and the API takes no question: nothing is sent until that is over. */
export function reportWaiting(object: Organization, at: number, now: number): MemoReport {
  const message =
    'Whether the last change took effect is not known, and the API cannot be asked; nothing is sent while it may be at work';
  const previous = object.status;
  const before = currentReady(object, previous)?.reason;
  const reason = before === 'NotConfirmed' ? before : 'OutcomeUnknown';
  const failure = reportFailure({ object, previous, reason, message, now, atLeastMs: at - now });
  return { ...failure, status: merged(object, { ...failure.status }), did: 'wait', facts: { reason } };
}
