import type { Success } from '../../../api/reply/verdict.ts';
import {
  asReported,
  type Reported,
  type Tuple,
  tupleKey,
  tupleOf,
} from '../endpoints/endpoints.ts';
import type { Organization } from '../resource.ts';
import { type Call, type Decision, decisionOf, nextStep } from './next-step.ts';
import { afterLeaving, intending } from './notes.ts';
import { progress } from './progress.ts';
import { type Work, withRefusalsDue } from './session.ts';

/** What the API is taken to hold. Absent: no reply has shown it. */
export interface Held {
  readonly name?: string | undefined;
  readonly list?: readonly Reported[] | undefined;
}

/** An attempt as it would go. */
export interface Rehearsal {
  /** The calls, one after another; the first is a look. */
  readonly calls: readonly Call[];
  /** What the ledger says, and what is decided, once the look has been answered. */
  readonly seen: Work;
  readonly decision: Decision;
}

/** An attempt ends: each of its changes takes something out of what is left to do. */
const MOST_CALLS = 1_000;

/**
 * The steps of an attempt against an API that holds this and does what it is asked to. What was
 * refused before is due, as it is for whoever edits the object. Nothing is sent or written.
 */
export function rehearse(object: Organization, begun: Work, held: Held, now: number): Rehearsal {
  const calls: Call[] = [];
  let work: Work = { ...begun, session: withRefusalsDue(begun.session) };
  let api = held;
  let seen: Work | undefined;
  for (let step = nextStep(work); step.step !== 'end'; step = nextStep(work)) {
    if (step.step === 'intend') {
      work = intended(object, work, step.pending);
      continue;
    }
    calls.push(step);
    if (calls.length > MOST_CALLS) throw new Error('a rehearsed attempt does not end');
    api = after(step, api, work.goal.name);
    const left = { ...work, notes: afterLeaving(work.notes, work.leftAt, work.atWorkMs) };
    work = progress({
      object,
      work: step.step === 'send' ? left : work,
      call: step,
      verdict: answer(api),
      secretVersion: '',
      now,
    });
    seen ??= work;
  }
  const decided = seen ?? work;
  return { calls, seen: decided, decision: decisionOf(decided) };
}

function intended(
  object: Organization,
  work: Work,
  pending: Extract<ReturnType<typeof nextStep>, { step: 'intend' }>['pending'],
): Work {
  const { session, decidedAt } = work;
  return {
    ...work,
    notes: intending(work.notes, object, { pending, at: decidedAt.monotonic }),
    session: { ...session, draft: { ...session.draft, pendingChange: pending } },
  };
}

function after(call: Call, { name, list }: Held, declared: string | undefined): Held {
  if (call.step === 'name') return { name: call.name, list };
  if (call.step === 'look') return { name: call.by === 'name' ? declared : name, list };
  const isGone = (entry: Reported): boolean =>
    call.pending.remove.some((tuple) => tupleKey(asReported(entry, tuple)) === tupleKey(tuple));
  const added: readonly Tuple[] = call.pending.add.map(tupleOf);
  return { name, list: [...(list ?? []).filter((entry) => !isGone(entry)), ...added] };
}

function answer({ name, list }: Held): Success {
  return {
    ok: true,
    outcome: 'Succeeded',
    httpStatus: 200,
    result: {
      ...(name !== undefined && { name }),
      ...(list !== undefined && { privateEndpoints: list }),
    },
  };
}
