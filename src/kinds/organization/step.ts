import { generationOf, readyOf } from '../common-status.ts';
import { isFailure } from '../failures.ts';
import type { Apart } from './apart.ts';
import { changeFor, isBlocked } from './change.ts';
import { type Known, knownList, tupleKey } from './endpoints.ts';
import type { Goal } from './goal.ts';
import { intentOf } from './intent.ts';
import { withoutOpen, withoutRefusals } from './ledger.ts';
import { neverLeft } from './memo.ts';
import { nextChange } from './next-change.ts';
import { changeBody, NEUTRAL_BODY, nameBody } from './remote.ts';
import type { LedgerEntry, Organization, PendingChange } from './resource.ts';
import { isElsewhere, type Work } from './work.ts';

/** One step towards the goal: at most one call, or one thing written down. */
export type Step =
  /** A PATCH that changes no endpoint: of the declared name, or of two empty lists. */
  | { readonly step: 'read'; readonly body: string; readonly reads: 'name' | 'list' }
  /** Puts an intent on record, once a slot for its call is there. */
  | {
      readonly step: 'intend';
      readonly pending: PendingChange;
      readonly ledger: readonly LedgerEntry[];
      /** What is left of a refused change, where that is another one now. */
      readonly apart?: Apart;
    }
  | { readonly step: 'send'; readonly pending: PendingChange; readonly body: string }
  /** Nothing is asked or sent: it is judged by the last list, if there was one. */
  | {
      readonly step: 'judge';
      readonly ledger: readonly LedgerEntry[];
      readonly known?: Known;
      readonly apart?: Apart;
    }
  /** What was sent may still be at work, and the API cannot be asked. */
  | { readonly step: 'wait'; readonly at: number };

/** An intent leaves at most this long after its time, so that its time says how long it may be at work. */
function freshMs(apiTimeoutMs: number): number {
  return Math.min(5_000, apiTimeoutMs);
}

/** So long after its time an intent may be at work at the API. */
export function atWorkMs(apiTimeoutMs: number): number {
  return apiTimeoutMs + freshMs(apiTimeoutMs);
}

/** From this time on a list that was asked for says for certain what became of an intent. */
export function settledAt(pending: PendingChange, apiTimeoutMs: number): number {
  return Date.parse(pending.time) + atWorkMs(apiTimeoutMs);
}

export function stepFor(object: Organization, work: Work, now: number): Step {
  const { goal, memo } = work;
  const pending = object.status?.pendingChange;
  if (pending && neverLeft(memo, pending) && memo.unsent?.generation === generationOf(object)) {
    const age = now - Date.parse(pending.time);
    // Its time is a whole second, so up to one ahead; one from further ahead was made before the clock was put back.
    if (age > -1_000 && age <= freshMs(work.apiTimeoutMs)) {
      return { step: 'send', pending, body: changeBody(pending, goal) };
    }
    return { step: 'intend', ...intentOf(object, work, { ...pending, now }) };
  }
  const mayHaveLeft = pending !== undefined && !neverLeft(memo, pending);
  const read = readStep(work);
  const known = knownHere(object, work);
  const blind = (): Step => blindStep(object, work, { known, pending: mayHaveLeft ? pending : undefined, now });
  if (!read) return blind();
  if (isDeaf(object, known) && !mayHaveLeft) {
    const step = blind();
    return step.step === 'intend' ? step : read;
  }
  if (!goal.endpoints || !known || mayHaveLeft || isRecheck(object)) return read;
  const ledger = withoutRefusals(object.status?.privateEndpoints ?? [], { now, all: work.retryRefused });
  const change = changeFor(goal, ledger, known);
  if (change.undecided) return read;
  if (isBlocked(goal, change)) return { step: 'judge', ledger, known };
  if (change.add.length + change.remove.length === 0) return read;
  return { step: 'intend', ...intentOf(object, work, { add: change.add, remove: change.remove, now }, ledger) };
}

/** How this organization can be asked without changing its endpoints; undefined where the API refuses that. */
export function readStep({ goal, memo }: Work): Extract<Step, { step: 'read' }> | undefined {
  if (goal.name !== undefined && memo.apart?.name === undefined) {
    return { step: 'read', reads: 'name', body: nameBody(goal.name) };
  }
  return memo.readRefused ? undefined : { step: 'read', reads: 'list', body: NEUTRAL_BODY };
}

/** Without a way to ask, endpoints are added one at a time and each reply is the next list. */
function blindStep(
  object: Organization,
  work: Work,
  {
    known,
    pending,
    now,
  }: { readonly known: Known | undefined; readonly pending: PendingChange | undefined; readonly now: number },
): Step {
  if (pending && !work.memo.refusal) {
    const at = settledAt(pending, work.apiTimeoutMs);
    if (now < at) return { step: 'wait', at };
  }
  const { goal, memo } = work;
  const ledger = withoutOpen(withoutRefusals(ledgerHere(object, goal, pending), { now, all: work.retryRefused }), now);
  const change = changeFor(goal, ledger, { entries: known?.entries ?? [], complete: true });
  if (isBlocked(goal, change)) return { step: 'judge', ledger, ...(known && { known }) };
  const { left, apart } = nextChange(memo.apart, change, { oneAtATime: true });
  if (left.add.length + left.remove.length > 0) {
    return { step: 'intend', ...intentOf(object, work, { ...left, now }, ledger), ...(apart && { apart }) };
  }
  return { step: 'judge', ledger, ...(known && { known }), ...(apart && { apart }) };
}

/** On deletion, what may have been added counts as added where nobody can look. */
function ledgerHere(object: Organization, goal: Goal, pending: PendingChange | undefined): readonly LedgerEntry[] {
  const ledger = object.status?.privateEndpoints ?? [];
  if (!goal.only || !pending) return ledger;
  const known = new Set(ledger.map(tupleKey));
  const maybe = pending.add.filter((tuple) => !known.has(tupleKey(tuple)));
  return [...ledger, ...maybe.map((tuple): LedgerEntry => ({ ...tuple, origin: 'Added', state: 'Present' }))];
}

/** No list was ever seen, and the replies go on without one. */
function isDeaf(object: Organization, known: Known | undefined): boolean {
  const ready = readyOf(object.status);
  return known === undefined && ready?.reason === 'NotConfirmed' && (object.status?.attempts ?? 0) >= PATIENCE;
}

/** Replies without a list that are waited for before endpoints are sent without knowing what is there. */
const PATIENCE = 3;

/** The last list, where it is of this API: another --api-url is another world. */
export function knownHere(object: Organization, { hash }: Pick<Work, 'hash'>): Known | undefined {
  return isElsewhere(object, hash) ? undefined : knownList(object.status);
}

/** Whether this generation has been tried: then the API is asked before anything else is done. */
function isRecheck(object: Organization): boolean {
  const ready = readyOf(object.status);
  if (ready?.observedGeneration !== generationOf(object)) return false;
  return ready.reason === 'Applied' || isFailure(ready.reason);
}
