import { awaitChange } from '../../runtime/outcome.ts';
import { timestamp } from '../canonical.ts';
import { commonStatus, generationOf } from '../common-status.ts';
import { reportFailure } from '../failure-report.ts';
import type { MemoReport } from './memo.ts';
import { blockedMessage } from './problems.ts';
import { refusedProblem, withRefusals } from './refusals.ts';
import { declaredKeys } from './remote.ts';
import type { Organization } from './resource.ts';
import type { Step } from './step.ts';
import { merged } from './underway.ts';
import type { Work } from './work.ts';

/** More removals than the spec allows: nothing is sent. */
export function reportBlocked(
  object: Organization,
  { work, change }: { readonly work: Work } & Extract<Step, { step: 'block' }>,
  now: number,
): MemoReport {
  const message = blockedMessage(change.remove, work.goal.mostRemovals);
  const { status, outcome, notices } = reportFailure({
    object,
    previous: object.status,
    reason: 'RemovalBlocked',
    message,
    now,
  });
  const pendingChange = undefined;
  return {
    status: merged(object, { ...status, pendingChange }),
    outcome,
    notices,
    did: 'block',
    facts: { reason: 'RemovalBlocked' },
  };
}

/** The API takes no question, and by its last list everything is there, or nothing is known and nothing is left to send. */
export function reportTrusted(object: Organization, work: Work, now: number): MemoReport {
  const { status: previous } = object;
  const said = work.memo.readRefused?.message ?? 'two empty lists are refused';
  if (!previous?.organization?.privateEndpoints) {
    const message = `The list of private endpoints cannot be read: ${said}. Declare a name, which makes the list visible, or an endpoint`;
    const failure = reportFailure({ object, previous, reason: 'Rejected', message, now });
    return { ...failure, status: merged(object, { ...failure.status }), did: 'trust', facts: { reason: 'Rejected' } };
  }
  const message = `By the last list that the API gave, everything is as declared; it cannot be asked again without a name: ${said}`;
  const common = commonStatus(object, previous, {
    summary: { ready: 'True', reason: 'Applied', message },
    now,
    acknowledge: true,
  });
  const applied = {
    time: timestamp(now),
    ...previous.applied,
    generation: generationOf(object),
    requestHash: work.hash,
    keys: declaredKeys(work.goal),
  };
  return {
    status: merged(object, { ...common, applied, pendingChange: undefined }),
    outcome: awaitChange,
    did: 'trust',
    facts: { reason: 'Applied' },
  };
}

/** What is left to do has been refused, and the API takes no question about it. */
export function reportGivenUp(
  object: Organization,
  { work, change, ledger, apart }: { readonly work: Work } & Extract<Step, { step: 'give-up' }>,
  now: number,
): MemoReport {
  const named = withRefusals(object, { ledger, change, apart, now });
  const problem = refusedProblem(named, apart) ?? { reason: 'Rejected', message: 'The API refused the change' };
  const { apart: _, refusal: __, ...memo } = work.memo;
  const { reason, message } = problem;
  const notAfter = work.deadline === undefined ? undefined : Math.max(work.deadline, now);
  const failure = reportFailure({ object, previous: object.status, reason, message, now, notAfter });
  const privateEndpoints = named.length > 0 ? named : undefined;
  return {
    ...failure,
    status: merged(object, { ...failure.status, privateEndpoints, pendingChange: undefined }),
    did: 'give-up',
    facts: { reason },
    memo,
  };
}
