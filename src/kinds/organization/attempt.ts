import { sendChange } from './change.ts';
import { type Decision, nextChange } from './decide.ts';
import type { Known } from './observation.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { nameBody, OBSERVE_BODY } from './remote.ts';
import { MOST_REFUSALS } from './waits.ts';
import { DONE, decided, type End, type Progress, permit, STOPPED, send, take, type Work } from './work.ts';

/** What an attempt leaves behind, for the status. */
export interface Attempted extends Known {
  readonly end: End;
  readonly decision: Decision;
  readonly nameRefusal: Refusal | undefined;
  /** Refusals in a row have ended the attempt before all was tried. */
  readonly isCutShort: boolean;
}

const HINT =
  'Declare spec.name to make the list readable: the operator then sends that name, and the response shows the list';

/**
 * One attempt: observe, settle, decide, name, pending change, send, settle, until nothing is left.
 *
 * Guarantees: an add or a removal leaves only after a reply of this attempt, at most 30 s old, has
 * shown that it is needed, and after the pending change is persisted. Whatever ends the attempt,
 * the status says what may have been done; nothing else outlives it.
 * Assumes: one attempt for an organization at a time in this process; `calls` see to that.
 */
export async function attempt(work: Work, known: Known): Promise<Attempted> {
  const hasRefused = known.draft.privateEndpoints?.some(({ lastError }) => lastError) ?? false;
  const progress: Progress = {
    known,
    hasPermit: false,
    observations: 0,
    isNamed: false,
    oneByOne: hasRefused || work.ways.isOneByOne,
    refusalsInRow: 0,
  };
  let end: End | undefined;
  while (!end) end = await step(work, progress);
  const decision = decided(work, progress);
  const isTired = progress.refusalsInRow >= MOST_REFUSALS;
  const isCutShort = isTired && nextChange(decision, true) !== undefined;
  return { ...progress.known, end, decision, nameRefusal: progress.nameRefusal, isCutShort };
}

async function step(work: Work, progress: Progress): Promise<End | undefined> {
  if (!work.stillWanted()) return STOPPED;
  const { known, isNamed, oneByOne, refusalsInRow } = progress;
  const decision = decided(work, progress);
  if (known.observedAt === undefined) {
    // An observation that sends the name is not made either while too much would be removed.
    const isHeldBack = decision.blocked && work.ways.nameToObserveBy(work.goal) !== undefined;
    return isHeldBack ? DONE : observe(work, progress);
  }
  // Nothing else is sent until a list shows all of a lost change, or its time is over.
  if (known.draft.pendingChange || decision.blocked) return DONE;
  if (decision.name !== undefined && !isNamed) return sendName(work, progress, decision.name);
  const change = refusalsInRow < MOST_REFUSALS ? nextChange(decision, oneByOne) : undefined;
  return change ? sendChange(work, progress, change) : DONE;
}

/** By the request that changes nothing; where the API takes none, by the declared name. */
async function observe(work: Work, progress: Progress): Promise<End | undefined> {
  const refused = await permit(work, progress);
  if (refused) return refused;
  const { ways, goal } = work;
  const name = ways.nameToObserveBy(goal);
  const body = name === undefined ? OBSERVE_BODY : nameBody(name);
  const answer = await send(work, progress, { body, write: name !== undefined });
  if (answer.type === 'success') {
    ways.observed(name !== undefined);
    progress.observations += 1;
    progress.isNamed ||= name !== undefined;
    take(work, progress, answer, { type: 'observe' });
    return undefined;
  }
  if (answer.type !== 'failure' || name !== undefined) return { type: 'failed', answer };
  const way = ways.notObserved(answer.verdict, goal);
  if (way === 'by-name') return undefined;
  return { type: 'failed', answer, ...(way === 'none' && { hint: HINT }) };
}

async function sendName(work: Work, progress: Progress, name: string): Promise<End | undefined> {
  const refused = await permit(work, progress);
  if (refused) return refused;
  const answer = await send(work, progress, { body: nameBody(name), write: true });
  progress.isNamed = true;
  if (answer.type === 'success') {
    take(work, progress, answer, { type: 'name', name });
    return undefined;
  }
  const refusal = answer.type === 'failure' ? refusalOf(answer.verdict) : undefined;
  if (!refusal) return { type: 'failed', answer };
  progress.nameRefusal = refusal;
  return undefined;
}
