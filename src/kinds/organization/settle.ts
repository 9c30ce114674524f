import { cutText } from '../../controller/conditions.ts';
import { ENDPOINT_MISSED_AGAIN_MS, SAME_ENDPOINT_MS } from '../../waits.ts';
import { timestamp, wholeSecond } from '../shared/canonical.ts';
import { nextWait } from '../shared/failures.ts';
import {
  asReported,
  type Listing,
  type Reported,
  sameKey,
  type Tuple,
  tupleOf,
} from './endpoints/endpoints.ts';
import { type Goal, isListedIn, isOurs } from './goal.ts';
import { LIMITS } from './limits.ts';
import type { InventoryEntry, PendingChange } from './resource.ts';

/** What one list of the API says, and what has to be known to read it. */
export interface Evidence {
  readonly inventory: readonly InventoryEntry[];
  readonly goal: Goal;
  readonly list: Listing;
  /**
   * Epoch ms at which the request left that the list answers. Absence is judged by it: an add that
   * was lost may land between the question and the answer.
   */
  readonly askedAt: number;
  readonly now: number;
  /** A change that may have been carried out; `answered`: the list is in the reply to it. */
  readonly sent?: { readonly change: PendingChange; readonly answered: boolean } | undefined;
  /** So long after it was written a change may still be carried out. */
  readonly settleMs: number;
  /** Seed of the jitter of waits. */
  readonly uid: string;
}

/** What an event has to say of an endpoint; events.ts has the words. */
export type Remark =
  | 'maybe-ours'
  | 'refused-but-there'
  | 'not-confirmed'
  | 'came-back'
  | 'left'
  | 'vanished';

/** What becomes of one endpoint; without `entry` it is in the inventory no more. */
interface Line {
  readonly entry?: InventoryEntry;
  readonly remark?: Remark;
  /** It came or went because this object asked for it. */
  readonly did?: 'added' | 'removed';
}

export interface Settlement {
  readonly inventory: readonly InventoryEntry[];
  /** The change that was sent, where nobody can tell yet what all of it did. */
  readonly pendingChange: PendingChange | undefined;
  readonly added: readonly Tuple[];
  readonly removed: readonly Tuple[];
  readonly remarks: readonly { readonly remark: Remark; readonly tuple: Tuple }[];
}

/** The table of the contract: what one list proves of each endpoint in inventory, change, spec. */
export function settle(evidence: Evidence): Settlement {
  const { goal, sent, list } = evidence;
  const lines = new Map<string, { readonly tuple: Tuple; readonly line: Line }>();
  for (const entry of evidence.inventory)
    lines.set(sameKey(entry), { tuple: entry, line: lineFor(byAdoption(entry, goal), evidence) });
  for (const tuple of sent?.change.add ?? [])
    if (!lines.has(sameKey(tuple)))
      lines.set(sameKey(tuple), { tuple, line: afterAdd(asSent(tuple, evidence), evidence) });
  for (const tuple of goal.isCleanup ? [] : (goal.endpoints ?? [])) {
    const reported = lines.has(sameKey(tuple)) ? undefined : list.find(tuple);
    if (reported && lines.size < LIMITS.inventory)
      lines.set(sameKey(tuple), { tuple, line: { entry: found(tuple, reported, goal) } });
  }
  return summed([...lines.values()], evidence);
}

/** Adoption is what the spec says now, whatever it said when the endpoint was found. */
export function byAdoption(entry: InventoryEntry, goal: Goal): InventoryEntry {
  if (entry.origin === 'Adopted' && !goal.adopt) return { ...entry, origin: 'Found' };
  const isAdopted = entry.origin === 'Found' && goal.adopt && isListedIn(goal, entry);
  return isAdopted ? { ...entry, origin: 'Adopted' } : entry;
}

function lineFor(entry: InventoryEntry, evidence: Evidence): Line {
  const { goal, sent, list } = evidence;
  const isIn = (tuples: readonly Tuple[] = []): boolean =>
    tuples.some((one) => sameKey(one) === sameKey(entry));
  if (isIn(sent?.change.add)) return afterAdd(asSent(entry, evidence), evidence);
  if (isIn(sent?.change.remove))
    return afterRemove({ ...entry, since: sent?.change.time }, evidence);
  const reported = list.find(entry);
  if (entry.origin === 'Found' && !isListedIn(goal, entry))
    return reported && !goal.isCleanup ? { remark: 'left' } : {};
  switch (entry.state) {
    case 'Unconfirmed':
      return afterAdd(entry, evidence);
    case 'Removing':
      return afterRemove(entry, evidence);
    case 'Missing':
      return afterMissing(entry, evidence);
    case 'Refused':
      if (reported) return unlessAdopted(found(entry, reported, goal), 'refused-but-there');
      return isListedIn(goal, entry) && !goal.isCleanup ? { entry } : {};
    case 'Present':
      return { entry: reported ? kept(entry, reported, goal) : missed(entry, evidence) };
  }
}

/** An add on its way, as an entry; how often it was sent in vain before stays known. */
function asSent(
  tuple: Tuple & Pick<Partial<InventoryEntry>, 'attempts'>,
  { sent }: Evidence,
): InventoryEntry {
  const { attempts } = tuple;
  const since = sent?.change.time;
  return { ...tupleOf(tuple), origin: 'Added', state: 'Unconfirmed', since, attempts };
}

/** An add that the observation before it lacked. */
function afterAdd(entry: InventoryEntry, evidence: Evidence): Line {
  const { list, goal, askedAt, settleMs, now, uid } = evidence;
  const reported = list.find(entry);
  const settlesAt = sinceOf(entry) + settleMs;
  if (reported) {
    const isSoon = askedAt - sinceOf(entry) <= SAME_ENDPOINT_MS;
    return isSoon
      ? { entry: present(entry, reported, 'Added'), did: 'added' }
      : unlessAdopted(found(entry, reported, goal), 'maybe-ours');
  }
  if (askedAt < settlesAt) return { entry: { ...entry, nextAttemptTime: seconds(settlesAt) } };
  // A time later than that is when it is to be sent again: its end was said before.
  const isSaid = Date.parse(entry.nextAttemptTime ?? '') > wholeSecond(settlesAt);
  const remark = isSaid ? undefined : 'not-confirmed';
  const isWanted = isListedIn(goal, entry) && !goal.isCleanup;
  if (!isWanted || isSaid) return { ...(isWanted && { entry }), ...(remark && { remark }) };
  const attempts = (entry.attempts ?? 0) + 1;
  const nextAttemptTime = seconds(now + nextWait('Rejected', attempts, uid));
  return { entry: { ...entry, attempts, nextAttemptTime }, remark: 'not-confirmed' };
}

function afterRemove(entry: InventoryEntry, { list, askedAt, settleMs, goal }: Evidence): Line {
  const reported = list.find(entry);
  if (!reported) return { did: 'removed' };
  const settlesAt = sinceOf(entry) + settleMs;
  const there = present(entry, reported, entry.origin);
  if (askedAt >= settlesAt) return { entry: kept(there, reported, goal) };
  const { since } = entry;
  return { entry: { ...there, state: 'Removing', since, nextAttemptTime: seconds(settlesAt) } };
}

function missed(entry: InventoryEntry, { askedAt }: Evidence): InventoryEntry {
  const { origin, description } = entry;
  const nextAttemptTime = seconds(askedAt + ENDPOINT_MISSED_AGAIN_MS);
  const since = timestamp(askedAt);
  return { ...tupleOf(entry), description, origin, state: 'Missing', since, nextAttemptTime };
}

function afterMissing(entry: InventoryEntry, { list, askedAt, goal }: Evidence): Line {
  const reported = list.find(entry);
  const missedFor = askedAt - sinceOf(entry);
  if (!reported) {
    if (missedFor < ENDPOINT_MISSED_AGAIN_MS) return { entry };
    return isOurs(entry) ? { remark: 'vanished' } : {};
  }
  if (missedFor <= SAME_ENDPOINT_MS || !isOurs(entry))
    return { entry: present(entry, reported, entry.origin) };
  return unlessAdopted(found(entry, reported, goal), 'came-back');
}

/** In doubt an endpoint is not ours, and an event says so. */
function unlessAdopted(entry: InventoryEntry, remark: Remark): Line {
  return isOurs(entry) ? { entry } : { entry, remark };
}

function found(tuple: Tuple, reported: Reported, goal: Goal): InventoryEntry {
  return present(tuple, reported, goal.adopt && isListedIn(goal, tuple) ? 'Adopted' : 'Found');
}

/** Why its removal was refused stays known while it is not wanted. */
function kept(entry: InventoryEntry, reported: Reported, goal: Goal): InventoryEntry {
  const { lastError, attempts, nextAttemptTime, origin } = entry;
  const isRefused = lastError !== undefined && isOurs(entry) && !goal.wanted.has(sameKey(entry));
  const there = present(entry, reported, origin);
  return isRefused ? { ...there, lastError, attempts, nextAttemptTime } : there;
}

/** As the API writes it: a removal must name it so. */
function present(
  tuple: Tuple,
  reported: Reported,
  origin: InventoryEntry['origin'],
): InventoryEntry {
  const description =
    reported.description && cutText(reported.description, LIMITS.inventoryDescription);
  return { ...asReported(reported, tuple), description, origin, state: 'Present' };
}

function summed(
  lines: readonly { readonly tuple: Tuple; readonly line: Line }[],
  { sent, askedAt, settleMs }: Evidence,
): Settlement {
  const which = (did: Line['did']): Tuple[] =>
    lines.flatMap(({ tuple, line }) => (line.did === did ? [tupleOf(line.entry ?? tuple)] : []));
  const inventory = lines.flatMap(({ line }) => line.entry ?? []);
  const isOver = !sent || sent.answered || askedAt >= Date.parse(sent.change.time) + settleMs;
  const isOpen = ({ state, since }: InventoryEntry): boolean =>
    (state === 'Unconfirmed' || state === 'Removing') && since === sent?.change.time;
  return {
    inventory,
    pendingChange: !isOver && inventory.some(isOpen) ? sent.change : undefined,
    added: which('added'),
    removed: which('removed'),
    remarks: lines.flatMap(({ tuple, line: { remark } }) =>
      remark ? { remark, tuple: tupleOf(tuple) } : [],
    ),
  };
}

/** Epoch ms; a time that cannot be read is long past. */
function sinceOf({ since }: InventoryEntry): number {
  return Date.parse(since ?? '') || 0;
}

function seconds(epochMs: number): string {
  return timestamp(wholeSecond(epochMs));
}
