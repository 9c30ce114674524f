import * as endpoint from './endpoints.ts';
import type * as resource from './resource.ts';

const { asReported, LIMITS, plain, sameKey, tupleOf } = endpoint;
type InventoryEntry = resource.InventoryEntry;
type Tuple = endpoint.Tuple;

/** What an organization is to be brought to: the spec, or on deletion none of ours. */
export interface Goal extends resource.OrganizationSpec {
  /** The object is being deleted: nothing is added, and all that is ours and not wanted goes. */
  readonly isCleanup: boolean;
  readonly declared: readonly resource.DeclaredEndpoint[];
  readonly mostRemovals: number;
  /** `sameKey` of what spec lists. */
  readonly listed: ReadonlySet<string>;
  /** `sameKey` of what may stay: on deletion what others list. */
  readonly wanted: ReadonlySet<string>;
}

export function goalOf(spec: resource.OrganizationSpec): Goal {
  const { privateEndpoints: declared = [], maxPrivateEndpointRemovals: mostRemovals = 5 } = spec;
  const listed = new Set(declared.map(sameKey));
  return { ...spec, isCleanup: false, declared, mostRemovals, listed, wanted: listed };
}

/** On deletion: the name is no more than a way to observe, and no cap holds. */
export function cleanupGoal(spec: resource.OrganizationSpec, others: readonly Tuple[]): Goal {
  const wanted = new Set(others.map(sameKey));
  const mostRemovals = Number.POSITIVE_INFINITY;
  return { ...goalOf(spec), isCleanup: true, declared: [], mostRemovals, wanted };
}

export function isListedIn({ listed }: Goal, tuple: Tuple): boolean {
  return listed.has(sameKey(tuple));
}

export function managesEndpoints({ privateEndpoints, isCleanup }: Goal): boolean {
  return privateEndpoints !== undefined || isCleanup;
}

/** Ours may be removed; what was only found never is. */
export function isOurs({ origin }: Pick<InventoryEntry, 'origin'>): boolean {
  return origin === 'Added' || origin === 'Adopted';
}

/** What is this object's, or may be. */
export function oursIn(status: resource.OrganizationStatus): Tuple[] {
  const ours = status.privateEndpoints?.filter(isOurs) ?? [];
  const known = new Set(ours.map(sameKey));
  const added = status.pendingChange?.add.filter((tuple) => !known.has(sameKey(tuple))) ?? [];
  return [...ours, ...added].map(tupleOf);
}

export interface Question {
  readonly goal: Goal;
  /** Undefined: unknown, so that nothing is added or removed. */
  readonly list: endpoint.Listing | undefined;
  readonly name: string | undefined;
  readonly inventory: readonly InventoryEntry[];
  readonly now: number;
}

export type Decision = ReturnType<typeof decide>;

/**
 * The difference between the goal and what was observed. An id never stands in both `add` and
 * `remove`: nothing is added while ours has its id.
 */
export function decide(question: Question) {
  const { goal, list, inventory } = question;
  const isManaged = managesEndpoints(goal);
  // A missing one counts for the cap too: it may be in the next list.
  const mayBeThere = ({ state }: InventoryEntry) => state === 'Present' || state === 'Missing';
  const ours = inventory.filter(isOurs).filter(mayBeThere);
  const unwanted = ours.filter((entry) => !goal.wanted.has(sameKey(entry)));
  const isKeptBack = (tuple: Tuple): boolean => hasOther(tuple, question);
  const isKnown = isManaged && list !== undefined;
  const removals = isKnown ? unwanted.filter(({ state }) => state === 'Present') : [];
  const additions = isKnown ? missingOf(question) : [];
  const add = additions.filter((one) => isToBeAdded(one, question) && !isKeptBack(one));
  return {
    /** To be set, by itself. */
    name: goal.isCleanup || goal.name === question.name ? undefined : goal.name,
    // What has to wait for room follows when something has left the inventory.
    add: add.slice(0, Math.max(0, LIMITS.inventory - inventory.length)),
    remove: removals.filter((one) => isDue(one, question) && !isKeptBack(one)),
    /** Neither added nor removed: the list has their ids in entries of others. */
    conflicts: [...additions, ...removals].filter(isKeptBack),
    /** More removals than the spec allows: nothing at all is sent. */
    blocked: isManaged && unwanted.length > goal.mostRemovals ? unwanted : undefined,
  };
}

/** Declared and not there; those that were never tried come first. */
function missingOf({ goal, inventory }: Question): readonly resource.DeclaredEndpoint[] {
  const known = new Map(inventory.map((entry) => [sameKey(entry), entry.state]));
  const missing = goal.declared.filter((one) => known.get(sameKey(one)) !== 'Present');
  return missing.toSorted((a, b) => Number(known.has(sameKey(a))) - Number(known.has(sameKey(b))));
}

function isToBeAdded(endpoint: resource.DeclaredEndpoint, question: Question): boolean {
  const { inventory } = question;
  const entry = inventory.find((one) => sameKey(one) === sameKey(endpoint));
  // Ours may have the id with another provider or region: that one goes first.
  if (!entry) return !inventory.some((one) => isOurs(one) && plain(one.id) === plain(endpoint.id));
  return (entry.state === 'Refused' || entry.state === 'Unconfirmed') && isDue(entry, question);
}

/** Whether the list has this id in an entry that is neither this endpoint nor ours. */
function hasOther(tuple: Tuple, { list, inventory }: Question): boolean {
  const ours = inventory.filter((entry) => isOurs(entry) && plain(entry.id) === plain(tuple.id));
  const isNeither = (reported: endpoint.Reported): boolean =>
    [tuple, ...ours].every((one) => sameKey(asReported(reported, one)) !== sameKey(one));
  return list?.withId(tuple.id).some(isNeither) ?? false;
}

function isDue({ nextAttemptTime }: InventoryEntry, { now }: Question): boolean {
  return !(Date.parse(nextAttemptTime ?? '') > now);
}

/** Untried first, removals before adds; where one has been refused, each goes by itself. */
export function nextChange({ add, remove }: Decision, oneByOne: boolean) {
  if (add.length + remove.length === 0) return undefined;
  if (!oneByOne) return { add, remove };
  const removal = remove.find(({ lastError }) => !lastError) ?? remove[0];
  return removal ? { add: [], remove: [removal] } : { add: add.slice(0, 1), remove: [] };
}
