import type { Failure } from '../../../api/reply/verdict.ts';
import type { Attempt } from '../../engine/api-call.ts';
import { withoutUndefined } from '../../status/common-status.ts';
import { LIMITS } from '../limits.ts';
import type { Organization } from '../resource.ts';
import { otherWayToLook, type Taken } from './look-by-name.ts';
import type { Call } from './next-step.ts';
import { progress } from './progress.ts';
import { type Refusal, type Session, type Work, withLastRequest } from './session.ts';

export type Answer = Extract<Attempt, { got: 'success' | 'failure' }>;

/** Takes in the answer to a call. */
export function takeAnswer(
  object: Organization,
  { work, call }: { readonly work: Work; readonly call: Call },
  answer: Answer,
  now: number,
): Taken {
  if (answer.got === 'success') {
    const { verdict, secretVersion } = answer;
    return {
      follows: 'next-step',
      work: progress({ object, work, call, verdict, secretVersion, now }),
    };
  }
  const { verdict } = answer;
  if (call.step === 'look' && call.by === 'list') return otherWayToLook(object, work, verdict, now);
  const refusal = refusalOf(verdict);
  const session = withLastRequest(work.session, verdict, now);
  if (call.step === 'name' && refusal) {
    const named = { ...session, nameRefusal: refusal, isNamed: true as const };
    return { follows: 'next-step', work: { ...work, session: named } };
  }
  if (call.step === 'send' && refusal)
    return { follows: 'record-refusal', work: { ...work, session: withRefusal(session, refusal) } };
  if (call.step === 'send' && verdict.outcome === 'Unknown') {
    const { fresh: _, ...lost } = session;
    return { follows: 'end', work: { ...work, session: lost } };
  }
  return { follows: 'fail', work };
}

/** After this, nothing of the change is taken for done, and what is there is looked at. */
function withRefusal(before: Session, refusal: Refusal): Session {
  const { fresh: _, ...session } = before;
  const { pendingChange } = session.draft;
  if (!pendingChange) throw new Error('a change was answered that is not on record');
  const { httpStatus, requestId } = refusal;
  const refused = withoutUndefined({ httpStatus, requestId });
  const draft = { ...session.draft, pendingChange: { ...pendingChange, refused } };
  return { ...session, draft, refusal };
}

/** Answers that blame nobody: nothing happened, or nobody can tell. */
const NO_BLAME = new Set([401, 403, 404, 408, 410, 423, 424, 425, 429]);

/** A 4xx that is about what was sent. */
function refusalOf({ httpStatus, requestId, message }: Failure): Refusal | undefined {
  if (httpStatus === undefined || httpStatus < 400 || httpStatus > 499 || NO_BLAME.has(httpStatus))
    return undefined;
  const text = message.slice(0, LIMITS.refusalText);
  return { httpStatus, ...(requestId !== undefined && { requestId }), message: text };
}
