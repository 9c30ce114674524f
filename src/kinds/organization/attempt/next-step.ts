import { timestamp } from '../../status/canonical.ts';
import { Listing, tupleOf } from '../endpoints/endpoints.ts';
import { changeBody, LOOK_BODY, nameBody } from '../remote.ts';
import type { PendingChange } from '../resource.ts';
import { isAltered } from './changes.ts';
import { type Change, type Decision, decide } from './decide.ts';
import { isUnsent, type Session } from './notes.ts';
import type { Work } from './work.ts';

/** One step of an attempt: at most one call, or one thing written down. */
export type Step =
  | { readonly step: 'look'; readonly by: 'list' | 'name'; readonly body: string }
  | { readonly step: 'name'; readonly name: string; readonly body: string }
  /** Puts an intent on record, once a slot for its call is there. */
  | { readonly step: 'intend'; readonly pending: PendingChange }
  | { readonly step: 'send'; readonly pending: PendingChange; readonly body: string }
  /** There is nothing to ask or to send: the status says how it stands. */
  | { readonly step: 'end' };

/** What a look showed this long ago is looked at once more before anything is sent. */
const FRESH_LOOK_MS = 60_000;
/** After so many refusals in a row with nothing accepted between, an attempt stops. */
export const MOST_REFUSALS = 3;

/** Look, decide, name, intend, send, decide …, endAttempt. */
export function nextStep(work: Work): Step {
  const { session, goal, plannedAt } = work;
  const { fresh } = session;
  const { pendingChange } = session.draft;
  if (fresh && pendingChange && isUnsent(work.notes, pendingChange)) {
    return { step: 'send', pending: pendingChange, body: changeBody(pendingChange, goal) };
  }
  const isOld =
    fresh !== undefined &&
    !session.hasLookedAgain &&
    plannedAt.monotonic - fresh.at > FRESH_LOOK_MS;
  if (!fresh || isOld) return lookStep(work);
  if (pendingChange) return { step: 'end' };
  const decision = decisionOf(work);
  if (decision.blocked) return { step: 'end' };
  if (decision.name !== undefined && !session.isNamed) {
    return { step: 'name', name: decision.name, body: nameBody(decision.name) };
  }
  const change = nextChange(decision, session);
  if (!change) return { step: 'end' };
  const { add, remove } = change;
  const time = timestamp(plannedAt.now);
  return { step: 'intend', pending: { time, add: add.map(tupleOf), remove: remove.map(tupleOf) } };
}

function lookStep(work: Work): Step {
  const { name } = work.goal;
  if (!looksByName(work) || name === undefined)
    return { step: 'look', by: 'list', body: LOOK_BODY };
  // This look sends the name, and nothing may be sent while too much would be removed.
  if (!work.isNews && decisionOf(work).blocked) return { step: 'end' };
  return { step: 'look', by: 'name', body: nameBody(name) };
}

/** The declared name serves as the look, because the API refuses any other. */
export function looksByName({ goal, notes, plannedAt }: Work): boolean {
  return goal.name !== undefined && (notes.lookByNameUntil ?? 0) > plannedAt.monotonic;
}

/**
 * Nothing is added or removed on an unknown list. What would be removed if all that the ledger has
 * is there may be too much all the same.
 */
export function decisionOf({ goal, session, notes, plannedAt }: Work): Decision {
  const { fresh, draft } = session;
  const decision = decide({
    goal,
    ledger: draft.privateEndpoints ?? [],
    list: fresh?.shown ?? fresh?.list ?? new Listing([]),
    name: fresh?.name,
    inVain: (key) => notes.inVain.counts.get(key) ?? 0,
    isAltered: (declared, entry) => isAltered(draft.differences, declared, entry),
    now: plannedAt.now,
  });
  return fresh?.list
    ? decision
    : { ...decision, add: [], remove: [], again: [], conflicts: [], exhausted: [] };
}

/**
 * All at once; after a refusal that blamed nobody, removals together and then one add after
 * another. What was refused goes last, by itself.
 */
export function nextChange({ add, remove, again }: Decision, session: Session): Change | undefined {
  if (session.refusalsInRow >= MOST_REFUSALS) return undefined;
  if (!session.isSplit && add.length + remove.length > 0) return { add, remove };
  if (remove.length > 0) return { add: [], remove };
  const [first] = add;
  return first ? { add: [first], remove: [] } : again[0];
}
