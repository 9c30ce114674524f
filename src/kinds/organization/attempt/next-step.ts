import { FRESH_LOOK_MS } from '../../../waits.ts';
import { timestamp } from '../../status/canonical.ts';
import { longestWait } from '../../status/failures.ts';
import {
  asReported,
  Listing,
  plain,
  sameKey,
  type Tuple,
  tupleKey,
  tupleOf,
} from '../endpoints/endpoints.ts';
import { type Goal, isOurs, managesEndpoints } from '../goal.ts';
import { LIMITS } from '../limits.ts';
import { changeBody, LOOK_BODY, nameBody } from '../remote.ts';
import type {
  DeclaredEndpoint,
  LedgerEntry,
  OrganizationStatus,
  PendingChange,
} from '../resource.ts';
import { isAltered, wantingAltered } from './differences.ts';
import { isUnsent } from './notes.ts';
import type { Session, Work } from './session.ts';

/** One step of an attempt: at most one call, or one thing written down. */
export type Step =
  | { readonly step: 'look'; readonly by: 'list' | 'name'; readonly body: string }
  | { readonly step: 'name'; readonly name: string; readonly body: string }
  /** Puts an intent on record, once a slot for its call is there. */
  | { readonly step: 'intend'; readonly pending: PendingChange }
  | { readonly step: 'send'; readonly pending: PendingChange; readonly body: string }
  /** There is nothing to ask or to send: the status says how it stands. */
  | { readonly step: 'end' };

/** A step that is a call. */
export type Call = Extract<Step, { step: 'look' | 'name' | 'send' }>;

export function sendsName(step: Step): boolean {
  return step.step === 'name' || (step.step === 'look' && step.by === 'name');
}

/** After so many refusals in a row with nothing accepted between, an attempt stops. */
export const MOST_REFUSALS = 3;

/**
 * A look that grew old while its change waited for a slot is made once more so often in an attempt.
 * Under a limit of a call in ten minutes each one grows old, and yet something must be sent in the
 * end.
 */
const MOST_LOOKS_AGAIN = 3;

/** Look, decide, name, intend, send, decide …, until nothing is left. */
export function nextStep(work: Work): Step {
  const { session, goal, decidedAt } = work;
  const { fresh } = session;
  const { pendingChange } = session.draft;
  if (fresh && pendingChange && isUnsent(work.notes, pendingChange)) {
    return { step: 'send', pending: pendingChange, body: changeBody(pendingChange, goal) };
  }
  const isOld =
    fresh !== undefined &&
    (session.looksAgain ?? 0) < MOST_LOOKS_AGAIN &&
    decidedAt.monotonic - fresh.at > FRESH_LOOK_MS;
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
  const time = timestamp(decidedAt.now);
  return { step: 'intend', pending: { time, add: add.map(tupleOf), remove: remove.map(tupleOf) } };
}

function lookStep(work: Work): Step {
  const { name } = work.goal;
  if (!looksByName(work) || name === undefined)
    return { step: 'look', by: 'list', body: LOOK_BODY };
  // This look sends the name, and nothing may be sent while too much would be removed.
  if (!work.isAskedAnew && decisionOf(work).blocked) return { step: 'end' };
  return { step: 'look', by: 'name', body: nameBody(name) };
}

/** The declared name serves as the look, because the API refuses any other. */
export function looksByName({ goal, notes, decidedAt }: Work): boolean {
  return goal.name !== undefined && (notes.looks.byNameUntil ?? 0) > decidedAt.monotonic;
}

/**
 * On an unknown list nothing is added or removed; the cap on removals counts as if all that the
 * ledger has were there.
 */
export function decisionOf({ goal, session, notes, decidedAt }: Work): Decision {
  const { fresh, draft } = session;
  const decision = decide({
    goal,
    ledger: draft.privateEndpoints ?? [],
    list: fresh?.shown ?? fresh?.list ?? new Listing([]),
    name: fresh?.name,
    differences: draft.differences,
    unconfirmedChanges: notes.unconfirmedChanges.counts,
    now: decidedAt.now,
  });
  return fresh?.list ? decision : { ...decision, ...NO_CHANGE };
}

/**
 * All at once; after a refusal that blamed nobody, removals together and then one add after
 * another. What was refused goes last, by itself.
 */
export function nextChange(
  { add, remove, retries }: Decision,
  session: Session,
): Change | undefined {
  if (session.refusalsInRow >= MOST_REFUSALS) return undefined;
  if (!session.isSplit && add.length + remove.length > 0) return { add, remove };
  if (remove.length > 0) return { add: [], remove };
  const [first] = add;
  return first ? { add: [first], remove: [] } : retries[0];
}

/** Everything that decides; nothing in it is older than the attempt but the ledger. */
export interface Question {
  readonly goal: Goal;
  /** As the fresh list has settled it. */
  readonly ledger: readonly LedgerEntry[];
  /** Whatever this attempt has seen there. */
  readonly list: Listing;
  readonly name: string | undefined;
  /** Those on record: by them it is known what the API keeps with other fields than were sent. */
  readonly differences: OrganizationStatus['differences'];
  /** How often each endpoint (`sameKey`) was sent in vain for this generation. */
  readonly unconfirmedChanges: ReadonlyMap<string, number>;
  readonly now: number;
}

/**
 * What has to happen. An id never stands in both `add` and `remove`: nothing is added while ours
 * has its id.
 */
export interface Decision {
  /** To be set, by itself. */
  readonly name?: string;
  readonly add: readonly DeclaredEndpoint[];
  readonly remove: readonly LedgerEntry[];
  /** Refused before, and due: each goes by itself, after the rest. */
  readonly retries: readonly Change[];
  /** Neither added nor removed: their ids stand in the list with other fields, and not as ours. */
  readonly conflicts: readonly Tuple[];
  /** Sent three times without effect. */
  readonly exhausted: readonly Tuple[];
  /** More removals than the spec allows: nothing at all is sent. */
  readonly blocked?: readonly Tuple[];
}

export interface Change {
  readonly add: readonly Tuple[];
  readonly remove: readonly Tuple[];
}

const NO_CHANGE = { add: [], remove: [], retries: [], conflicts: [], exhausted: [] };

/** So often an endpoint is sent in vain in one generation. */
const MOST_UNCONFIRMED = 3;

/**
 * A refused endpoint's time, a whole second, lies at most so far ahead. One further off comes from
 * a clock that was put back.
 */
const LONGEST_REFUSAL_MS = longestWait('Rejected') + 1_000;

/** Pure: the difference between the goal and a fresh list. */
export function decide(question: Question): Decision {
  const { goal, name } = question;
  const rename =
    !goal.isCleanup && goal.name !== undefined && goal.name !== name ? { name: goal.name } : {};
  if (!managesEndpoints(goal)) return { ...rename, ...NO_CHANGE };
  const adds = additions(question);
  const removes = removals(question);
  const { all } = removes;
  return {
    ...rename,
    add: adds.add,
    remove: removes.remove,
    retries: [...removes.retries, ...adds.retries],
    conflicts: [...adds.conflicts, ...removes.conflicts],
    exhausted: [...adds.exhausted, ...removes.exhausted],
    ...(all.length > goal.mostRemovals && { blocked: all }),
  };
}

function additions(question: Question) {
  const { goal, ledger, list, differences } = question;
  const known = new Map(ledger.map((entry) => [sameKey(entry), entry]));
  const add: DeclaredEndpoint[] = [];
  const retries: Change[] = [];
  const conflicts: Tuple[] = [];
  const exhausted: Tuple[] = [];
  for (const endpoint of goal.isCleanup ? [] : (goal.endpoints ?? [])) {
    const entry = known.get(sameKey(endpoint));
    if (entry && entry.state !== 'Refused') continue;
    const ours = ledger.filter((other) => isOurs(other) && plain(other.id) === plain(endpoint.id));
    if (ours.some((other) => isAltered(differences, endpoint, other))) continue;
    if (strangers(endpoint, list, ours)) conflicts.push(endpoint);
    else if (entry) {
      if (isDue(entry, question.now)) retries.push({ add: [endpoint], remove: [] });
    }
    // Ours has the id with other fields: that one goes first.
    else if (ours.length > 0) continue;
    else if (isExhausted(endpoint, question)) exhausted.push(endpoint);
    else add.push(endpoint);
  }
  // What has to wait for room follows when something has left the ledger.
  const room = Math.max(0, LIMITS.ledger - ledger.length);
  return { add: add.slice(0, room), retries, conflicts, exhausted };
}

function removals(question: Question) {
  const { ledger, list } = question;
  const { wanted } = wantingAltered(question.goal, { ...question, privateEndpoints: ledger });
  const remove: LedgerEntry[] = [];
  const retries: Change[] = [];
  const conflicts: Tuple[] = [];
  const exhausted: Tuple[] = [];
  // A Missing one counts too: it may be in the next list.
  const all = ledger.filter(
    (entry) => isOurs(entry) && isThere(entry) && !wanted.has(sameKey(entry)),
  );
  for (const entry of all.filter(({ state }) => state === 'Present')) {
    const ours = ledger.filter((other) => isOurs(other) && plain(other.id) === plain(entry.id));
    if (strangers(entry, list, ours)) conflicts.push(entry);
    else if (isExhausted(entry, question)) exhausted.push(entry);
    else if (entry.lastError === undefined) remove.push(entry);
    else if (isDue(entry, question.now)) retries.push({ add: [], remove: [entry] });
  }
  return { remove, retries, conflicts, exhausted, all };
}

function isThere({ state }: LedgerEntry): boolean {
  return state === 'Present' || state === 'Missing';
}

/**
 * Whether the list has this id in an entry that is not ours: an API that goes by ids alone would
 * touch that one.
 */
function strangers({ id }: Tuple, list: Listing, ours: readonly LedgerEntry[]): boolean {
  return list
    .withId(id)
    .some((reported) =>
      ours.every((entry) => tupleKey(asReported(reported, entry)) !== tupleKey(entry)),
    );
}

function isExhausted(tuple: Tuple, { unconfirmedChanges }: Question): boolean {
  return (unconfirmedChanges.get(sameKey(tuple)) ?? 0) >= MOST_UNCONFIRMED;
}

function isDue({ nextAttemptTime }: LedgerEntry, now: number): boolean {
  const at = Date.parse(nextAttemptTime ?? '');
  return !(at > now && at <= now + LONGEST_REFUSAL_MS);
}
