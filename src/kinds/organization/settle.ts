import { cutText } from '../../controller/conditions.ts';
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
import { MISSED_AGAIN_MS, SAME_ENDPOINT_MS } from './waits.ts';

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
  /** So long after it was written a change may still be carried out: `--api-timeout` and a minute. */
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

/** The table of the contract: what one list proves of each endpoint in inventory, change and spec. */
export function settle(evidence: Evidence): Settlement {
  const { goal, sent, list } = evidence;
  const lines = new Map<string, { readonly tuple: Tuple; readonly line: Line }>();
  for (const entry of evidence.inventory)
    lines.set(sameKey(entry), { tuple: entry, line: lineFor(byAdoption(entry, goal), evidence) });
  for (const tuple of sent?.change.add ?? [])
    if (!lines.has(sameKey(tuple)))
      lines.set(sameKey(tuple), { tuple, line: afterAdd(sentEntry(tuple, evidence), evidence) });
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
  return entry.origin === 'Found' && goal.adopt && isListedIn(goal, entry)
    ? { ...entry, origin: 'Adopted' }
    : entry;
}

function lineFor(entry: InventoryEntry, evidence: Evidence): Line {
  const { goal, sent, list } = evidence;
  const isAmong = (tuples: readonly Tuple[] = []): boolean =>
    tuples.some((one) => sameKey(one) === sameKey(entry));
  const reported = list.find(entry);
  if (isAmong(sent?.change.add)) return afterAdd(sentEntry(entry, evidence), evidence);
  if (isAmong(sent?.change.remove))
    return afterRemove({ ...entry, since: sent?.change.time ?? '' }, evidence);
  if (entry.origin === 'Found' && !isListedIn(goal, entry))
    return reported && !goal.isCleanup ? { remark: 'left' } : {};
  switch (entry.state) {
    case 'Unconfirmed':
      return afterAdd(entry, evidence);
    case 'Refused':
      if (reported) return unlessAdopted(found(entry, reported, goal), 'refused-but-there');
      return isListedIn(goal, entry) && !goal.isCleanup ? { entry } : {};
    case 'Removing':
      return afterRemove(entry, evidence);
    case 'Missing':
      return missing(entry, evidence);
    case 'Present':
      return reported ? { entry: kept(entry, reported, goal) } : { entry: missed(entry, evidence) };
  }
}

/** An add on its way, as an entry; how often it was sent in vain before stays known. */
function sentEntry(tuple: Tuple & { readonly attempts?: number }, { sent }: Evidence): InventoryEntry {
  const { attempts } = tuple;
  return {
    ...tupleOf(tuple),
    origin: 'Added',
    state: 'Unconfirmed',
    since: sent?.change.time ?? '',
    ...(attempts !== undefined && { attempts }),
  };
}

/** An add that the observation before it lacked. */
function afterAdd(entry: InventoryEntry, evidence: Evidence): Line {
  const { list, goal, askedAt, settleMs, now, uid } = evidence;
  const sentAt = sinceOf(entry);
  const reported = list.find(entry);
  if (reported) {
    const isSoon = askedAt - sentAt <= SAME_ENDPOINT_MS;
    return isSoon
      ? { entry: present(entry, reported, 'Added'), did: 'added' }
      : unlessAdopted(found(entry, reported, goal), 'maybe-ours');
  }
  const settlesAt = sentAt + settleMs;
  if (askedAt < settlesAt) return { entry: { ...entry, nextAttemptTime: seconds(settlesAt) } };
  // A time later than that is when it is to be sent again: its end was said before.
  const isSaid = Date.parse(entry.nextAttemptTime ?? '') > wholeSecond(settlesAt);
  const remark = isSaid ? {} : { remark: 'not-confirmed' as const };
  if (goal.isCleanup || !isListedIn(goal, entry)) return remark;
  if (isSaid) return { entry };
  const attempts = (entry.attempts ?? 0) + 1;
  const nextAttemptTime = seconds(now + nextWait('Rejected', attempts, uid));
  return { entry: { ...entry, attempts, nextAttemptTime }, ...remark };
}

function afterRemove(entry: InventoryEntry, { list, askedAt, settleMs, goal }: Evidence): Line {
  const reported = list.find(entry);
  if (!reported) return { did: 'removed' };
  const { since } = entry;
  const settlesAt = sinceOf(entry) + settleMs;
  const there = present(entry, reported, entry.origin);
  if (askedAt >= settlesAt || since === undefined) return { entry: kept(there, reported, goal) };
  return { entry: { ...there, state: 'Removing', since, nextAttemptTime: seconds(settlesAt) } };
}

function missing(entry: InventoryEntry, { list, askedAt, goal }: Evidence): Line {
  const reported = list.find(entry);
  const missedFor = askedAt - sinceOf(entry);
  if (!reported) {
    if (missedFor < MISSED_AGAIN_MS) return { entry };
    return isOurs(entry) ? { remark: 'vanished' } : {};
  }
  if (missedFor <= SAME_ENDPOINT_MS || !isOurs(entry))
    return { entry: present(entry, reported, entry.origin) };
  return unlessAdopted(found(entry, reported, goal), 'came-back');
}

function missed({ id, cloudProvider, region, description, origin }: InventoryEntry, asked: Evidence) {
  const { askedAt } = asked;
  return {
    ...{ id, cloudProvider, region },
    ...(description !== undefined && { description }),
    ...(origin && { origin }),
    state: 'Missing',
    since: timestamp(askedAt),
    nextAttemptTime: seconds(askedAt + MISSED_AGAIN_MS),
  } as const;
}

/** In doubt an endpoint is not ours, and an event says so. */
function unlessAdopted(entry: InventoryEntry, remark: Remark): Line {
  return isOurs(entry) ? { entry } : { entry, remark };
}

function found(tuple: Tuple, reported: Reported, goal: Goal): InventoryEntry {
  const isAdopted = goal.adopt && isListedIn(goal, tuple);
  return present(tuple, reported, isAdopted ? 'Adopted' : 'Found');
}

/** Why its removal was refused stays known while it is not wanted. */
function kept(entry: InventoryEntry, reported: Reported, goal: Goal): InventoryEntry {
  const { lastError, attempts, nextAttemptTime } = entry;
  const isRefused = lastError !== undefined && isOurs(entry) && !goal.wanted.has(sameKey(entry));
  return {
    ...present(entry, reported, entry.origin),
    ...(isRefused && { lastError, nextAttemptTime, ...(attempts !== undefined && { attempts }) }),
  };
}

/** As the API writes it: a removal must name it so. */
function present(
  tuple: Tuple,
  reported: Reported,
  origin: InventoryEntry['origin'],
): InventoryEntry {
  const { description } = reported;
  return {
    ...asReported(reported, tuple),
    ...(description !== undefined &&
      description !== '' && { description: cutText(description, LIMITS.inventoryDescription) }),
    ...(origin && { origin }),
    state: 'Present',
  };
}

function summed(
  lines: readonly { readonly tuple: Tuple; readonly line: Line }[],
  { sent, askedAt, settleMs }: Evidence,
): Settlement {
  const which = (did: Line['did']): Tuple[] =>
    lines.flatMap(({ tuple, line }) => (line.did === did ? [tupleOf(line.entry ?? tuple)] : []));
  const inventory = lines.flatMap(({ line }) => (line.entry ? [line.entry] : []));
  const isOver =
    sent === undefined || sent.answered || askedAt >= Date.parse(sent.change.time) + settleMs;
  const isOpen = ({ state, since }: InventoryEntry): boolean =>
    (state === 'Unconfirmed' || state === 'Removing') && since === sent?.change.time;
  return {
    inventory,
    pendingChange: !isOver && inventory.some(isOpen) ? sent.change : undefined,
    added: which('added'),
    removed: which('removed'),
    remarks: lines.flatMap(({ tuple, line: { remark } }) =>
      remark ? [{ remark, tuple: tupleOf(tuple) }] : [],
    ),
  };
}

/** A time that is missing, or of a clock that ran ahead, is long past or yet to come: never NaN. */
function sinceOf({ since }: InventoryEntry): number {
  const at = Date.parse(since ?? '');
  return Number.isNaN(at) ? 0 : at;
}

function seconds(epochMs: number): string {
  return timestamp(wholeSecond(epochMs));
}
