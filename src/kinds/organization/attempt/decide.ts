import { longestWait } from '../../status/failures.ts';
import {
  type Listing,
  plain,
  type Reported,
  sameKey,
  type Tuple,
  tupleKey,
} from '../endpoints/endpoints.ts';
import { type Goal, isOurs, managesEndpoints } from '../goal.ts';
import { LIMITS } from '../limits.ts';
import type { DeclaredEndpoint, LedgerEntry } from '../resource.ts';

/** Everything that decides; nothing in it is older than the attempt but the ledger. */
export interface Question {
  readonly goal: Goal;
  /** As the fresh list has settled it. */
  readonly ledger: readonly LedgerEntry[];
  /** Whatever this attempt has seen there. */
  readonly list: Listing;
  readonly name: string | undefined;
  /** How often this endpoint (`sameKey`) was sent in vain for this generation. */
  readonly inVain: (key: string) => number;
  /** The API keeps this declared endpoint as that entry, with other fields than were sent. */
  readonly isAltered: (declared: Tuple, entry: LedgerEntry) => boolean;
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
  readonly again: readonly Change[];
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

/** So often an endpoint is sent in vain in one generation. */
const MOST_IN_VAIN = 3;

/**
 * A refused endpoint's time, a whole second, lies at most so far ahead. One further off comes from
 * a clock that was put back.
 */
const LONGEST_REFUSAL_MS = longestWait('Rejected') + 1_000;

/** Pure: the difference between the goal and a fresh list. */
export function decide(question: Question): Decision {
  const { goal, name } = question;
  const rename =
    goal.spared === undefined && goal.name !== undefined && goal.name !== name
      ? { name: goal.name }
      : {};
  if (!managesEndpoints(goal))
    return { ...rename, add: [], remove: [], again: [], conflicts: [], exhausted: [] };
  const adds = additions(question);
  const removes = removals(question);
  const again = [...removes.again, ...adds.again];
  const all = removes.all;
  return {
    ...rename,
    add: adds.add,
    remove: removes.remove,
    again,
    conflicts: [...adds.conflicts, ...removes.conflicts],
    exhausted: [...adds.exhausted, ...removes.exhausted],
    ...(all.length > goal.mostRemovals && { blocked: all }),
  };
}

function additions(question: Question) {
  const { goal, ledger, list, inVain, isAltered } = question;
  const known = new Map(ledger.map((entry) => [sameKey(entry), entry]));
  const add: DeclaredEndpoint[] = [];
  const again: Change[] = [];
  const conflicts: Tuple[] = [];
  const exhausted: Tuple[] = [];
  for (const endpoint of goal.spared ? [] : (goal.endpoints ?? [])) {
    const entry = known.get(sameKey(endpoint));
    if (entry && entry.state !== 'Refused') continue;
    const ours = ledger.filter((other) => isOurs(other) && plain(other.id) === plain(endpoint.id));
    if (ours.some((other) => isAltered(endpoint, other))) continue;
    if (strangers(endpoint, list, ours)) conflicts.push(endpoint);
    else if (entry) {
      if (isDue(entry, question.now)) again.push({ add: [endpoint], remove: [] });
    }
    // Ours has the id with other fields: that one goes first.
    else if (ours.length > 0) continue;
    else if (inVain(sameKey(endpoint)) >= MOST_IN_VAIN) exhausted.push(endpoint);
    else add.push(endpoint);
  }
  // What has to wait for room follows when something has left the ledger.
  const room = Math.max(0, LIMITS.ledger - ledger.length);
  return { add: add.slice(0, room), again, conflicts, exhausted };
}

function removals(question: Question) {
  const { ledger, list, inVain } = question;
  const remove: LedgerEntry[] = [];
  const again: Change[] = [];
  const conflicts: Tuple[] = [];
  const exhausted: Tuple[] = [];
  // One that this list does not have may be in the next.
  const all = unwanted(question).filter(isThere);
  for (const entry of all.filter(({ state }) => state === 'Present')) {
    const ours = ledger.filter((other) => isOurs(other) && plain(other.id) === plain(entry.id));
    if (strangers(entry, list, ours)) conflicts.push(entry);
    else if (inVain(sameKey(entry)) >= MOST_IN_VAIN) exhausted.push(entry);
    else if (entry.lastError === undefined) remove.push(entry);
    else if (isDue(entry, question.now)) again.push({ add: [], remove: [entry] });
  }
  return { remove, again, conflicts, exhausted, all };
}

/**
 * What is ours and not to stay. What the API keeps with other fields than are declared is wanted as
 * it is.
 */
function unwanted({ goal, ledger, isAltered }: Question): LedgerEntry[] {
  const declared = goal.spared ? [] : (goal.endpoints ?? []);
  const isKept = (entry: LedgerEntry): boolean =>
    goal.wanted.has(sameKey(entry)) || declared.some((endpoint) => isAltered(endpoint, entry));
  return ledger.filter((entry) => isOurs(entry) && !isKept(entry));
}

function isThere({ state }: LedgerEntry): boolean {
  return state === 'Present' || state === 'Missing';
}

/**
 * Whether the list has this id in an entry that is not ours: an API that goes by ids alone would
 * touch that one.
 */
function strangers({ id }: Tuple, list: Listing, ours: readonly LedgerEntry[]): boolean {
  return list.withId(id).some((reported) => ours.every((entry) => !isEntry(entry, reported)));
}

function isEntry(entry: LedgerEntry, reported: Reported): boolean {
  const { cloudProvider = entry.cloudProvider, region = entry.region } = reported;
  return tupleKey({ id: reported.id, cloudProvider, region }) === tupleKey(entry);
}

function isDue({ nextAttemptTime }: LedgerEntry, now: number): boolean {
  const at = Date.parse(nextAttemptTime ?? '');
  return !(at > now && at <= now + LONGEST_REFUSAL_MS);
}
