import { isDeepStrictEqual } from 'node:util';
import { awaitChange, goOn } from '../../../controller/outcome.ts';
import type { Result } from '../act.ts';
import { takeAnswer } from '../attempt/answer.ts';
import { afterLeaving, intending } from '../attempt/notes.ts';
import type { Work } from '../attempt/session.ts';
import type { Plan } from '../plan.ts';
import type { Organization, PendingChange } from '../resource.ts';
import { endAttempt, type NotedReport } from './attempt-end.ts';
import { betweenSteps, keeping, onRecord, reportNext } from './between-steps.ts';
import { reportFailed } from './failed-step.ts';

type StepPlan = Extract<Plan, { do: 'step' }>;

/** Turns one step and its result into the next step, or into the status that ends the attempt. */
export function reportStep(
  object: Organization,
  plan: StepPlan,
  result: Result,
  now: number,
): NotedReport {
  const { step } = plan;
  const work = afterCall(plan, result);
  if (step.step === 'end') return endAttempt(object, work, now, 'end');
  switch (result.got) {
    case 'nothing':
    case 'finalizers':
      return { outcome: awaitChange, did: 'nothing' };
    case 'slot':
      if (step.step !== 'intend') throw new Error('a call that was made has no slot for an answer');
      return reportIntent(object, work, step.pending, now);
    case 'success':
    case 'failure': {
      if (step.step === 'intend') throw new Error('an intent was put on record by a call');
      const taken = takeAnswer(object, { work, call: step }, result, now);
      if (taken.follows === 'next-step') return reportNext(object, taken.work, step.step, now);
      if (taken.follows === 'record-refusal') return reportRefused(object, taken.work, now);
      if (taken.follows === 'end') return endAttempt(object, taken.work, now, step.step);
      if (result.got === 'success') throw new Error('an answer with a result cannot have failed');
      return reportFailed(object, { ...taken, step, attempt: result }, now);
    }
    case 'no-credential':
    case 'no-slot':
    case 'circuit-open':
    case 'called-off':
      return reportFailed(object, { work, step, attempt: result }, now);
  }
}

/** With when the call left and was over. From its first byte on an intent may be at work. */
function afterCall({ step, work }: StepPlan, result: Result): Work {
  const { leftAt, answeredAt = work.answeredAt } = 'leftAt' in result ? result : {};
  if (leftAt === undefined) return work;
  const notes = step.step === 'send' ? afterLeaving(work.notes, leftAt, work.atWorkMs) : work.notes;
  return { ...work, notes, leftAt, answeredAt };
}

/** Written under the version that was read, or not at all; the call follows only from here. */
function reportIntent(
  object: Organization,
  work: Work,
  pending: PendingChange,
  now: number,
): NotedReport {
  const { session, decidedAt } = work;
  const status = betweenSteps(object, { ...session.draft, pendingChange: pending }, now);
  const intended = intending(work.notes, object, { pending, at: decidedAt.monotonic });
  const { notes, ...said } = onRecord(object, { session, notes: intended }, status);
  return {
    ...said,
    // As it stands until the intent is there: where that is refused, what was sent before keeps its
    // time.
    notes: { ...notes, atWork: intended.atWork },
    outcome: goOn,
    did: 'intend',
    // Where the process ends before it is sent, nobody has to wait for it.
    lastWord: {
      status: betweenSteps(object, session.draft, now),
      notices: [],
      // Where another process has looked since, its ledger is newer than the one of this attempt.
      isOnTop: (newer) => {
        const { pendingChange, lastRequest } = (newer as Organization).status ?? {};
        return isDeepStrictEqual([pendingChange, lastRequest], [pending, status.lastRequest]);
      },
    },
    isOnTop: ({ metadata }) => metadata.resourceVersion === object.metadata.resourceVersion,
  };
}

/** The status says that the change was refused; the next step looks at what is there. */
function reportRefused(object: Organization, { session, notes }: Work, now: number): NotedReport {
  const status = betweenSteps(object, session.draft, now);
  const { httpStatus, requestId } = session.refusal ?? {};
  return {
    status,
    outcome: goOn,
    did: 'send',
    facts: { httpStatus, requestId, refused: true },
    notes: keeping(object, notes, { ...session, draft: status }, status),
  };
}
