import {
  asReported,
  type Listing,
  plain,
  sameKey,
  type Tuple,
} from './endpoints/endpoints.ts';
import { type Goal, isOurs, managesEndpoints } from './goal.ts';
import { LIMITS } from './limits.ts';
import type { DeclaredEndpoint, InventoryEntry } from './resource.ts';

/** Everything that decides; nothing in it is older than the observation but the inventory. */
export interface Question {
  readonly goal: Goal;
  /** As the observation has settled it. */
  readonly inventory: readonly InventoryEntry[];
  /** Undefined: unknown, so that nothing is added or removed. */
  readonly list: Listing | undefined;
  /** As last reported; undefined: unknown. */
  readonly name: string | undefined;
  readonly now: number;
}

export interface Change {
  readonly add: readonly Tuple[];
  readonly remove: readonly Tuple[];
}

/**
 * What has to happen. An id never stands in both `add` and `remove`: nothing is added while ours
 * has its id.
 */
export interface Decision extends Change {
  /** To be set, by itself. */
  readonly name?: string;
  readonly add: readonly DeclaredEndpoint[];
  readonly remove: readonly InventoryEntry[];
  /** Neither added nor removed: the list has their ids in entries of others. */
  readonly conflicts: readonly Tuple[];
  /** More removals than the spec allows: nothing at all is sent. */
  readonly blocked?: readonly Tuple[];
}

/** Pure: the difference between the goal and what was observed. */
export function decide(question: Question): Decision {
  const { goal, name, list } = question;
  const isRenamed = !goal.isCleanup && goal.name !== undefined && goal.name !== name;
  const rename = isRenamed ? { name: goal.name } : {};
  if (!managesEndpoints(goal)) return { ...rename, add: [], remove: [], conflicts: [] };
  const unwanted = question.inventory.filter(
    (entry) => isOurs(entry) && isThere(entry) && !goal.wanted.has(sameKey(entry)),
  );
  // A list that nobody knows may have all of them still.
  const blocked = unwanted.length > goal.mostRemovals ? { blocked: unwanted } : {};
  if (!list) return { ...rename, add: [], remove: [], conflicts: [], ...blocked };
  const removals = removalsOf(unwanted, { ...question, list });
  const additions = additionsOf({ ...question, list });
  return {
    ...rename,
    add: additions.add,
    remove: removals.remove,
    conflicts: [...additions.conflicts, ...removals.conflicts],
    ...blocked,
  };
}

/** A missing one counts for the cap too: it may be in the next list. */
function isThere({ state }: InventoryEntry): boolean {
  return state === 'Present' || state === 'Missing';
}

type Observed = Question & { readonly list: Listing };

function removalsOf(unwanted: readonly InventoryEntry[], question: Observed) {
  const present = unwanted.filter(({ state }) => state === 'Present');
  return {
    conflicts: present.filter((entry) => hasOther(entry, question)),
    remove: present.filter((entry) => isDue(entry, question) && !hasOther(entry, question)),
  };
}

function additionsOf(question: Observed) {
  const { goal, inventory } = question;
  const known = new Map(inventory.map((entry) => [sameKey(entry), entry]));
  const owned = new Set(inventory.filter(isOurs).map(({ id }) => plain(id)));
  const isToBeSent = (endpoint: DeclaredEndpoint): boolean => {
    const entry = known.get(sameKey(endpoint));
    if (entry) return (entry.state === 'Refused' || isAwaited(entry)) && isDue(entry, question);
    // Ours has the id with another provider or region: that one goes first.
    return !owned.has(plain(endpoint.id));
  };
  const declared = goal.isCleanup ? [] : (goal.endpoints ?? []);
  const missing = declared.filter((endpoint) => known.get(sameKey(endpoint))?.state !== 'Present');
  const add = missing.filter((one) => isToBeSent(one) && !hasOther(one, question));
  const isNew = (endpoint: DeclaredEndpoint): boolean => !known.has(sameKey(endpoint));
  // What has to wait for room follows when something has left the inventory.
  const room = Math.max(0, LIMITS.inventory - inventory.length);
  return {
    conflicts: missing.filter((endpoint) => hasOther(endpoint, question)),
    add: [...add.filter(isNew).slice(0, room), ...add.filter((one) => !isNew(one))],
  };
}

/** Sent, and never seen until nothing of it could be carried out any more. */
function isAwaited({ state }: InventoryEntry): boolean {
  return state === 'Unconfirmed';
}

/** Whether the list has this id in an entry that is neither this endpoint nor ours. */
function hasOther(tuple: Tuple, { list, inventory }: Observed): boolean {
  const ours = inventory.filter((entry) => isOurs(entry) && plain(entry.id) === plain(tuple.id));
  return list.withId(tuple.id).some((reported) => {
    const isOurEntry = ours.some((entry) => sameKey(asReported(reported, entry)) === sameKey(entry));
    return !isOurEntry && sameKey(asReported(reported, tuple)) !== sameKey(tuple);
  });
}

function isDue({ nextAttemptTime }: InventoryEntry, { now }: Question): boolean {
  return !(Date.parse(nextAttemptTime ?? '') > now);
}

/** Untried first, removals before adds; where one has been refused, each goes by itself. */
export function nextChange({ add, remove }: Decision, oneByOne: boolean): Change | undefined {
  if (add.length + remove.length === 0) return undefined;
  if (!oneByOne) return { add, remove };
  const [removal] = untriedFirst(remove);
  if (removal) return { add: [], remove: [removal] };
  return { add: add.slice(0, 1), remove: [] };
}

function untriedFirst(entries: readonly InventoryEntry[]): readonly InventoryEntry[] {
  const wasRefused = ({ lastError }: InventoryEntry): boolean => lastError !== undefined;
  return [...entries.filter((one) => !wasRefused(one)), ...entries.filter(wasRefused)];
}
