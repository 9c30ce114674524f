import { timestamp } from '../shared/canonical.ts';
import type { Answer } from '../shared/calls.ts';
import { quoting, withoutStop } from '../shared/common-status.ts';
import type { Change } from './decide.ts';
import { tupleOf } from './endpoints/endpoints.ts';
import { refusedEvent } from './events.ts';
import { markRefused, refusalOf } from './refusal.ts';
import { changeBody } from './remote.ts';
import { inProgress } from './report.ts';
import { FINALIZER, hasFinalizer, type OrganizationStatus, type PendingChange } from './resource.ts';
import { MOST_OBSERVATIONS, OBSERVATION_LASTS_MS, SENT_AT_ONCE_MS } from './waits.ts';
import { type End, type Progress, permit, STOPPED, send, take, type Work } from './work.ts';

/**
 * Persists a change, sends it, and settles it by its reply. The pending change stands before the
 * first byte leaves: if the process dies after that, the next attempt knows what may be there. It
 * goes in the status only by a list, by its time, or by an answer that says that it was not done.
 */
export async function sendChange(
  work: Work,
  progress: Progress,
  change: Change,
): Promise<End | undefined> {
  const { context, goal, mayRemove } = work;
  if (mayRemove && !hasFinalizer(context.object()) && !(await context.finalizer(FINALIZER, true)))
    return STOPPED;
  const refused = await permit(work, progress);
  if (refused) return refused;
  if (isOld(work, progress)) {
    progress.known = { ...progress.known, observedAt: undefined };
    return undefined;
  }
  const writtenAt = context.now();
  const pending: PendingChange = {
    time: timestamp(writtenAt),
    add: change.add.map(tupleOf),
    remove: change.remove.map(tupleOf),
  };
  if (!(await persist(work, { ...progress.known.draft, pendingChange: pending }))) return STOPPED;
  progress.known = {
    ...progress.known,
    draft: { ...progress.known.draft, pendingChange: pending },
  };
  const answer = await send(work, progress, {
    body: changeBody(pending, goal),
    write: true,
    isTooLate: () => context.now() - writtenAt > SENT_AT_ONCE_MS,
  });
  if (answer.type !== 'success') return afterFailure(work, progress, pending, answer);
  progress.refusalsInRow = 0;
  work.ways.changed();
  take(work, progress, answer, { type: 'change', change: pending });
  return undefined;
}

/** What was observed long ago, or before a pause of the key, is no ground for a change. */
function isOld({ context, calls }: Work, { known, observations }: Progress): boolean {
  const { observedAt = 0 } = known;
  const isOver = context.now() - observedAt > OBSERVATION_LASTS_MS || calls.pausedSince(observedAt);
  // With a call in many minutes each one grows old, and yet something must be sent in the end.
  return isOver && observations < MOST_OBSERVATIONS;
}

function persist({ context, goal }: Work, draft: OrganizationStatus): Promise<boolean> {
  return context.save(inProgress(context.object(), draft, goal, context.now()));
}

async function afterFailure(
  work: Work,
  progress: Progress,
  pending: PendingChange,
  answer: Exclude<Answer, { type: 'success' }>,
): Promise<End | undefined> {
  const isOfSeveral = pending.add.length + pending.remove.length > 1;
  if (answer.type === 'failure' && answer.verdict.outcome === 'Unknown') {
    work.ways.changeFailed(answer.verdict, isOfSeveral);
    return { type: 'failed', answer };
  }
  const { pendingChange: _, ...draft } = progress.known.draft;
  progress.known = { ...progress.known, draft };
  const refusal = answer.type === 'failure' ? refusalOf(answer.verdict) : undefined;
  if (!refusal) return { type: 'failed', answer };
  if (isOfSeveral) {
    const said = `${withoutStop(refusal.message)}${quoting(refusal.requestId)}`;
    const events = [...progress.known.events, refusedEvent(pending, said)];
    progress.known = { ...progress.known, events, observedAt: undefined };
    progress.oneByOne = true;
  } else {
    const { uid } = work.context.object().metadata;
    const marked = markRefused(draft, pending, refusal, { uid, now: work.context.now() });
    progress.known = { ...progress.known, draft: marked };
    progress.refusalsInRow += 1;
  }
  // Before any further call: for example, if the process restarted now, the change would read as
  // lost, and what a refused add finds would count as ours.
  return (await persist(work, progress.known.draft)) ? undefined : STOPPED;
}
