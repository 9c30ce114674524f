import { ENDPOINT_MISSED_AGAIN_MS, SAME_ENDPOINT_MS } from '../../waits.ts';
import { timestamp, wholeSecond } from '../shared/canonical.ts';
import { nextWait } from '../shared/failures.ts';
import { type Goal, isListedIn, isOurs, managesEndpoints, type Question } from './decide.ts';
import * as endpoint from './endpoints.ts';
import type { Remark } from './events.ts';
import type { InventoryEntry, PendingChange } from './resource.ts';

const { asReported, LIMITS, sameKey, tupleOf } = endpoint;
type Tuple = endpoint.Tuple;

export interface Evidence extends Pick<Question, 'goal' | 'inventory' | 'now'> {
  readonly list: endpoint.Listing;
  /** Epoch ms. Absence is judged by it: an add may land between the question and the answer. */
  readonly askedAt: number;
  /** A change that may have been carried out; `answered`: the list is in the reply to it. */
  readonly sent?: { readonly change: PendingChange; readonly answered: boolean } | undefined;
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

export type Settlement = ReturnType<typeof settle>;

/** The table of the contract: what one list proves of each endpoint in inventory, change, spec. */
export function settle(evidence: Evidence) {
  const { goal, sent, list, askedAt, settleMs } = evidence;
  const lines = new Map<string, Line & { readonly tuple: Tuple }>();
  const put = (tuple: Tuple, line: Line) => lines.set(sameKey(tuple), { tuple, ...line });
  for (const entry of evidence.inventory) put(entry, lineFor(byAdoption(entry, goal), evidence));
  const isNew = (tuple: Tuple): boolean => !lines.has(sameKey(tuple));
  for (const tuple of sent?.change.add.filter(isNew) ?? [])
    put(tuple, lineFor({ ...tuple, state: 'Unconfirmed' }, evidence));
  for (const tuple of goal.declared.filter(isNew)) {
    const reported = lines.size < LIMITS.inventory ? list.find(tuple) : undefined;
    const remark = evidence.wasApplied ? 'untracked' : undefined;
    if (reported) put(tuple, found(tuple, reported, goal, remark));
  }
  const all = [...lines.values()];
  const inventory = all.flatMap(({ entry }) => entry ?? []);
  const isOver = !sent || sent.answered || askedAt >= Date.parse(sent.change.time) + settleMs;
  const isOpen = ({ state, since }: InventoryEntry): boolean =>
    (state === 'Unconfirmed' || state === 'Removing') && since === sent?.change.time;
  const which = (wanted: Line['did']): Tuple[] =>
    all.flatMap(({ did, entry, tuple }) => (did === wanted ? tupleOf(entry ?? tuple) : []));
  return {
    inventory,
    // Stays where nobody can tell yet what all of it did.
    pendingChange: !isOver && inventory.some(isOpen) ? sent.change : undefined,
    added: which('added'),
    removed: which('removed'),
    remarks: all.flatMap(({ tuple, remark }) => (remark ? { remark, tuple: tupleOf(tuple) } : [])),
  };
}

/** Adoption is what the spec says now, whatever it said when the endpoint was found. */
export function byAdoption(entry: InventoryEntry, goal: Goal): InventoryEntry {
  const { origin } = entry;
  if (origin !== 'Found' && origin !== 'Adopted') return entry;
  const isAdopted = goal.adoptPrivateEndpoints && (origin === 'Adopted' || isListedIn(goal, entry));
  return { ...entry, origin: isAdopted ? 'Adopted' : 'Found' };
}

/** First what was sent for it decides, then what the list has or lacks. */
function lineFor(entry: InventoryEntry, evidence: Evidence): Line {
  const { goal, sent, list, askedAt } = evidence;
  const { state, origin } = entry;
  const isIn = (tuples: readonly Tuple[] = []): boolean =>
    tuples.some((one) => sameKey(one) === sameKey(entry));
  // One that an earlier list has shown is no longer awaited.
  const isAdded = isIn(sent?.change.add) && (state === 'Unconfirmed' || state === 'Refused');
  const isSent = isAdded || isIn(sent?.change.remove);
  const since = isSent ? sent?.change.time : entry.since;
  const age = askedAt - (Date.parse(since ?? '') || 0);
  if (isAdded || (!isSent && state === 'Unconfirmed'))
    return afterAdd({ ...entry, since }, age, evidence);
  const reported = list.find(entry);
  // A list that is gone from spec keeps the inventory.
  if (origin === 'Found' && managesEndpoints(goal) && !isListedIn(goal, entry))
    return reported && !goal.isCleanup ? { remark: 'left' } : {};
  if (isSent || state === 'Removing') return afterRemoval({ ...entry, since }, age, evidence);
  if (!reported) return lacking(entry, age, evidence);
  if (state === 'Refused') return found(entry, reported, goal, 'refused-but-there');
  if (state === 'Missing' && isOurs(entry) && age > SAME_ENDPOINT_MS)
    return found(entry, reported, goal, 'came-back');
  const there = present(entry, reported, origin);
  // Why its removal was refused stays known while it is not wanted.
  const { lastError, attempts, nextAttemptTime } = entry;
  if (!lastError || !isOurs(entry) || goal.wanted.has(sameKey(entry))) return { entry: there };
  return { entry: { ...there, lastError, attempts, nextAttemptTime } };
}

function lacking(entry: InventoryEntry, age: number, { goal, askedAt }: Evidence): Line {
  if (entry.state === 'Refused') return isListedIn(goal, entry) && !goal.isCleanup ? { entry } : {};
  if (entry.state !== 'Missing') return { entry: missed(entry, askedAt) };
  if (age < ENDPOINT_MISSED_AGAIN_MS) return { entry };
  return isOurs(entry) ? { remark: 'vanished' } : {};
}

function afterRemoval(entry: InventoryEntry, age: number, { list, settleMs }: Evidence): Line {
  const reported = list.find(entry);
  if (!reported) return { did: 'removed' };
  const there = present(entry, reported, entry.origin);
  if (age >= settleMs) return { entry: there };
  const { since } = entry;
  const nextAttemptTime = later(since, settleMs);
  return { entry: { ...there, state: 'Removing', since, nextAttemptTime } };
}

/** An add that the observation before it lacked. */
function afterAdd(entry: InventoryEntry, age: number, evidence: Evidence): Line {
  const { goal, list, settleMs, now, uid } = evidence;
  const reported = list.find(entry);
  if (reported && age <= SAME_ENDPOINT_MS)
    return { entry: present(entry, reported, 'Added'), did: 'added' };
  if (reported) return found(entry, reported, goal, 'maybe-ours');
  const { since, attempts = 0, nextAttemptTime = '' } = entry;
  const settles = later(since, settleMs);
  const sentAgain = { ...tupleOf(entry), origin: 'Added', state: 'Unconfirmed', since } as const;
  if (age < settleMs)
    return { entry: { ...sentAgain, attempts: entry.attempts, nextAttemptTime: settles } };
  // A time later than that is when it is to be sent again: its end was said before.
  const remark = nextAttemptTime > settles ? undefined : 'not-confirmed';
  if (goal.isCleanup || !isListedIn(goal, entry)) return { remark };
  if (!remark) return { entry };
  const again = timestamp(wholeSecond(now + nextWait('Rejected', attempts + 1, uid)));
  return { entry: { ...sentAgain, attempts: attempts + 1, nextAttemptTime: again }, remark };
}

/** In doubt an endpoint is not ours, and an event says so; adopted it is, all the same. */
function found(tuple: Tuple, reported: endpoint.Reported, goal: Goal, remark?: Remark): Line {
  const isAdopted = goal.adoptPrivateEndpoints && isListedIn(goal, tuple);
  if (isAdopted) return { entry: present(tuple, reported, 'Adopted') };
  return { entry: present(tuple, reported, 'Found'), remark };
}

/** As the API writes it: a removal must name it so. */
function present(tuple: Tuple, reported: endpoint.Reported, origin: InventoryEntry['origin']) {
  const description = reported.description === '' ? undefined : reported.description;
  return { ...asReported(reported, tuple), description, origin, state: 'Present' } as const;
}

function missed(entry: InventoryEntry, askedAt: number): InventoryEntry {
  const { description, origin } = entry;
  const since = timestamp(askedAt);
  const nextAttemptTime = later(since, ENDPOINT_MISSED_AGAIN_MS);
  return { ...tupleOf(entry), description, origin, state: 'Missing', since, nextAttemptTime };
}

/** RFC 3339; times of whole seconds in it compare as texts. */
function later(since: string | undefined, ms: number): string {
  return timestamp(wholeSecond((Date.parse(since ?? '') || 0) + ms));
}
