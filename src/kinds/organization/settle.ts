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
} from './endpoints.ts';
import type { Remark, Remarks } from './events.ts';
import { type Goal, isListedIn, isOurs, managesEndpoints } from './goal.ts';
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
  /** This list was applied before: what the inventory lacks of it, somebody has wiped. */
  readonly wasApplied?: boolean;
}

/** What becomes of one endpoint; without `entry` it is in the inventory no more. */
interface Line {
  readonly entry?: InventoryEntry;
  readonly remark?: Remark | undefined;
  /** It came or went because this object asked for it. */
  readonly did?: 'added' | 'removed';
}

export interface Settlement {
  readonly inventory: readonly InventoryEntry[];
  /** The change that was sent, where nobody can tell yet what all of it did. */
  readonly pendingChange: PendingChange | undefined;
  readonly added: readonly Tuple[];
  readonly removed: readonly Tuple[];
  readonly remarks: Remarks;
}

/** The table of the contract: what one list proves of each endpoint in inventory, change, spec. */
export function settle(evidence: Evidence): Settlement {
  const { goal, sent, list } = evidence;
  const lines = new Map<string, { readonly tuple: Tuple; readonly line: Line }>();
  for (const entry of evidence.inventory)
    lines.set(sameKey(entry), { tuple: entry, line: lineFor(byAdoption(entry, goal), evidence) });
  for (const tuple of sent?.change.add ?? [])
    if (!lines.has(sameKey(tuple)))
      lines.set(sameKey(tuple), {
        tuple,
        line: lineFor({ ...tuple, state: 'Unconfirmed' }, evidence),
      });
  for (const tuple of goal.isCleanup ? [] : (goal.endpoints ?? [])) {
    const reported = lines.has(sameKey(tuple)) ? undefined : list.find(tuple);
    const remark = evidence.wasApplied ? 'untracked' : undefined;
    if (reported && lines.size < LIMITS.inventory)
      lines.set(sameKey(tuple), { tuple, line: found(tuple, reported, goal, remark) });
  }
  return summed([...lines.values()], evidence);
}

/** Adoption is what the spec says now, whatever it said when the endpoint was found. */
export function byAdoption(entry: InventoryEntry, goal: Goal): InventoryEntry {
  if (entry.origin === 'Adopted' && !goal.adopt) return { ...entry, origin: 'Found' };
  const isAdopted = entry.origin === 'Found' && goal.adopt && isListedIn(goal, entry);
  return isAdopted ? { ...entry, origin: 'Adopted' } : entry;
}

/** First what the list has, then what it lacks; in both, what was sent for it decides. */
function lineFor(entry: InventoryEntry, evidence: Evidence): Line {
  const { goal, sent, list, askedAt, settleMs } = evidence;
  const isIn = (tuples: readonly Tuple[] = []): boolean =>
    tuples.some((one) => sameKey(one) === sameKey(entry));
  // One that an earlier list has shown is no longer awaited.
  const isAdded =
    isIn(sent?.change.add) && (entry.state === 'Unconfirmed' || entry.state === 'Refused');
  const isSent = isAdded || isIn(sent?.change.remove);
  const since = isSent ? sent?.change.time : entry.since;
  const age = askedAt - (Date.parse(since ?? '') || 0);
  const isAwaited = isAdded || (!isSent && entry.state === 'Unconfirmed');
  const isRemoved = isIn(sent?.change.remove) || (!isSent && entry.state === 'Removing');
  const reported = list.find(entry);
  if (isAwaited) return afterAdd({ ...entry, since }, reported, age, evidence);
  // A list that is gone from spec keeps the inventory.
  if (entry.origin === 'Found' && managesEndpoints(goal) && !isListedIn(goal, entry))
    return reported && !goal.isCleanup ? { remark: 'left' } : {};
  if (reported) {
    const there = present(entry, reported, entry.origin);
    const nextAttemptTime = later(since, settleMs);
    if (isRemoved && age < settleMs)
      return { entry: { ...there, state: 'Removing', since, nextAttemptTime } };
    if (entry.state === 'Refused') return found(entry, reported, goal, 'refused-but-there');
    if (entry.state === 'Missing' && isOurs(entry) && age > SAME_ENDPOINT_MS)
      return found(entry, reported, goal, 'came-back');
    return { entry: isRemoved ? there : withRefusal(there, entry, goal) };
  }
  if (isRemoved) return { did: 'removed' };
  if (entry.state === 'Refused') return isListedIn(goal, entry) && !goal.isCleanup ? { entry } : {};
  if (entry.state === 'Missing' && age >= ENDPOINT_MISSED_AGAIN_MS)
    return isOurs(entry) ? { remark: 'vanished' } : {};
  return { entry: entry.state === 'Missing' ? entry : missed(entry, askedAt) };
}

/** An add that the observation before it lacked. */
function afterAdd(
  entry: InventoryEntry,
  reported: Reported | undefined,
  age: number,
  { goal, settleMs, now, uid }: Evidence,
): Line {
  if (reported && age <= SAME_ENDPOINT_MS)
    return { entry: present(entry, reported, 'Added'), did: 'added' };
  if (reported) return found(entry, reported, goal, 'maybe-ours');
  const { since, attempts: before = 0, nextAttemptTime = '' } = entry;
  const settles = later(since, settleMs);
  const sentAgain = { origin: 'Added', state: 'Unconfirmed', since } as const;
  const awaited = { ...tupleOf(entry), ...sentAgain, attempts: entry.attempts };
  if (age < settleMs) return { entry: { ...awaited, nextAttemptTime: settles } };
  // A time later than that is when it is to be sent again: its end was said before.
  const remark = nextAttemptTime > settles ? undefined : 'not-confirmed';
  if (goal.isCleanup || !isListedIn(goal, entry)) return { remark };
  if (!remark) return { entry };
  const attempts = before + 1;
  const again = timestamp(wholeSecond(now + nextWait('Rejected', attempts, uid)));
  return { entry: { ...awaited, attempts, nextAttemptTime: again }, remark };
}

/** In doubt an endpoint is not ours, and an event says so; adopted it is, all the same. */
function found(tuple: Tuple, reported: Reported, goal: Goal, remark: Remark | undefined): Line {
  const isAdopted = goal.adopt && isListedIn(goal, tuple);
  if (isAdopted) return { entry: present(tuple, reported, 'Adopted') };
  return { entry: present(tuple, reported, 'Found'), remark };
}

/** As the API writes it: a removal must name it so. */
function present(
  tuple: Tuple,
  reported: Reported,
  origin: InventoryEntry['origin'],
): InventoryEntry {
  const description = reported.description === '' ? undefined : reported.description;
  return { ...asReported(reported, tuple), description, origin, state: 'Present' };
}

/** Why its removal was refused stays known while it is not wanted. */
function withRefusal(there: InventoryEntry, before: InventoryEntry, goal: Goal): InventoryEntry {
  const { lastError, attempts, nextAttemptTime } = before;
  const isUnwanted = isOurs(before) && !goal.wanted.has(sameKey(before));
  return lastError && isUnwanted ? { ...there, lastError, attempts, nextAttemptTime } : there;
}

function missed(
  { origin, description, ...tuple }: InventoryEntry,
  askedAt: number,
): InventoryEntry {
  const since = timestamp(askedAt);
  const nextAttemptTime = later(since, ENDPOINT_MISSED_AGAIN_MS);
  return { ...tupleOf(tuple), description, origin, state: 'Missing', since, nextAttemptTime };
}

/** RFC 3339; times of whole seconds in it compare as texts. */
function later(since: string | undefined, ms: number): string {
  return timestamp(wholeSecond((Date.parse(since ?? '') || 0) + ms));
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
