import { SAME_AGAIN_MS, SECOND_LOOK_MS } from '../../../waits.ts';
import { timestamp, wholeSecond } from '../../status/canonical.ts';
import {
  asReported,
  type Listing,
  type Reported,
  sameKey,
  type Tuple,
  tupleKey,
  tupleOf,
} from '../endpoints/endpoints.ts';
import { isStorable } from '../endpoints/identity.ts';
import { type Goal, isListedIn, isOurs } from '../goal.ts';
import { LIMITS } from '../limits.ts';
import type { LedgerEntry, PendingChange } from '../resource.ts';
import { added, bare, found, isEqual, kept, missed, stillOpen } from './entries.ts';
import { isMissedFor, isSurelyOurs } from './times.ts';

/** An intent that has left, or may have, and what is known of it. */
export type Sent =
  /** The list is in the reply to it. `before`: the list that it was decided on. */
  | { readonly how: 'answered'; readonly pending: Change; readonly before?: Listing | undefined }
  | Refused
  /** Nobody can tell what it did. */
  | { readonly how: 'lost'; readonly pending: Change };

/** Nothing of it is taken for done. */
export interface Refused {
  readonly how: 'refused';
  readonly pending: Change;
  /** Each of these is to blame by itself; none: nobody in particular is. */
  readonly blamed: readonly Tuple[];
  /** What the ledger says of those that are to blame. */
  readonly failure: Pick<LedgerEntry, 'lastError' | 'nextAttemptTime'>;
}

type Change = Pick<PendingChange, 'time' | 'add' | 'remove'>;

export interface Evidence {
  /** Epoch ms. */
  readonly now: number;
  readonly ledger: readonly LedgerEntry[];
  readonly list: Listing;
  readonly goal: Goal;
  readonly sent?: Sent | undefined;
  /** Epoch ms: when nothing of what was sent last can be at work at the API any more. */
  readonly settlesAt: number;
  /** The same for an open entry of the ledger, which an earlier change may have left. */
  readonly entrySettlesAt: (entry: LedgerEntry) => number;
  /** Epoch ms: since when an entry is Missing for this process, where it has seen that itself. */
  readonly missedAt: (entry: LedgerEntry) => number | undefined;
  /** How long after it was sent a write may be at work. */
  readonly atWorkMs: number;
}

/** What somebody should be told of an endpoint; `notices.ts` has the words. */
export type Remark =
  | 'maybe-ours'
  | 'refused-but-there'
  | 'given-up'
  | 'never-sent'
  | 'came-back'
  | 'maybe-still-ours'
  | 'left'
  | 'vanished';

/** What becomes of one endpoint; without `entry` it is in the ledger no more. */
export interface Line {
  readonly entry?: LedgerEntry;
  readonly remark?: Remark;
  /** Ours came or went, as this object wanted it. */
  readonly did?: 'added' | 'removed';
  /** Sent, answered or lost, and without effect until the end. */
  readonly unconfirmedChange?: true;
  /** As it was sent, where the API keeps other fields. */
  readonly sentAs?: Tuple;
}

export interface Settlement {
  readonly ledger: readonly LedgerEntry[];
  readonly added: readonly Tuple[];
  readonly removed: readonly Tuple[];
  readonly remarks: readonly { readonly remark: Remark; readonly tuple: Tuple }[];
  /** `sameKey` of what was sent in vain. */
  readonly unconfirmedChanges: readonly string[];
  /** What the API keeps with other fields than were sent. */
  readonly altered: readonly { readonly sent: Tuple; readonly entry: LedgerEntry }[];
}

/**
 * The table of the contract: what one list proves about each endpoint of ledger, intent and spec.
 */
export function settle(evidence: Evidence): Settlement {
  const { goal, sent, list } = evidence;
  const lines = new Map<string, { readonly tuple: Tuple; readonly line: Line }>();
  for (const entry of takenBack(evidence.ledger, goal)) {
    lines.set(tupleKey(entry), { tuple: entry, line: lineFor(entry, evidence) });
  }
  const known = new Set(evidence.ledger.map(sameKey));
  for (const tuple of sent?.pending.add ?? []) {
    if (sent && !known.has(sameKey(tuple)))
      lines.set(`add ${tupleKey(tuple)}`, { tuple, line: afterAdd(tuple, sent, evidence) });
  }
  const kept = new Set(
    [...lines.values()].flatMap(({ line }) => (line.entry ? [sameKey(line.entry)] : [])),
  );
  for (const tuple of goal.endpoints ?? []) {
    // One entry too many, and the API server refuses the whole status.
    if (kept.size >= LIMITS.ledger) break;
    const reported = kept.has(sameKey(tuple)) ? undefined : list.find(tuple);
    if (!reported) continue;
    lines.set(`found ${tupleKey(tuple)}`, { tuple, line: { entry: found(tuple, reported, goal) } });
    kept.add(sameKey(tuple));
  }
  return summed([...lines.values()]);
}

/** What holds without any list: what was adopted is so only while the spec says it. */
export function takenBack(ledger: readonly LedgerEntry[], { adopt }: Goal): readonly LedgerEntry[] {
  if (adopt) return ledger;
  return ledger.map((entry) =>
    entry.origin === 'Adopted' ? { ...entry, origin: 'Found' } : entry,
  );
}

function lineFor(entry: LedgerEntry, evidence: Evidence): Line {
  const { goal, sent, list } = evidence;
  if (entry.state === 'Unconfirmed' || entry.state === 'Refused') {
    if (sent && isAmong(sent.pending.add, entry)) return afterAdd(entry, sent, evidence);
    return entry.state === 'Refused'
      ? refusedBefore(entry, evidence)
      : unconfirmed(entry, evidence);
  }
  if (entry.origin === 'Found' && !isListedIn(goal, entry)) {
    return goal.isCleanup ? {} : { remark: 'left' };
  }
  const reported = list.exact(entry);
  if (sent?.pending.remove.some((tuple) => tupleKey(tuple) === tupleKey(entry)))
    return afterRemove(entry, reported, evidence, sent);
  if (entry.state === 'Removing') return removing(entry, reported, evidence);
  if (entry.state === 'Missing') return missing(entry, reported, evidence);
  return reported ? { entry: kept(entry, reported, goal) } : { entry: missed(entry, evidence.now) };
}

/** An add that the look before it lacked. */
function afterAdd(tuple: Tuple, sent: Sent, evidence: Evidence): Line {
  const { list, goal } = evidence;
  const reported = list.find(tuple);
  switch (sent.how) {
    case 'answered': {
      if (reported) return { entry: added(tuple, reported), did: 'added' };
      const other = changedOnTheWay(tuple, list, sent.before);
      if (!other) return stillOpen(tuple, evidence);
      if (!isStorable(asReported(other, tuple))) return { remark: 'maybe-ours' };
      return { entry: added(tuple, other), did: 'added', sentAs: tuple };
    }
    case 'lost':
      if (!reported) return isSettled(evidence) ? givenUp : stillOpen(tuple, evidence);
      if (isSurelyOurs(Date.parse(sent.pending.time), evidence))
        return { entry: added(tuple, reported), did: 'added' };
      return unlessAdopted(found(tuple, reported, goal), 'maybe-ours');
    case 'refused':
      if (reported) return unlessAdopted(found(tuple, reported, goal), 'refused-but-there');
      return isAmong(sent.blamed, tuple)
        ? { entry: { ...tupleOf(tuple), state: 'Refused', ...sent.failure } }
        : {};
  }
}

function unlessAdopted(entry: LedgerEntry, remark: Remark): Line {
  return isOurs(entry) ? { entry } : { entry, remark };
}

const givenUp: Line = { remark: 'given-up', unconfirmedChange: true };

/**
 * The entry with a sent id that the look before lacked, where the API keeps something else in the
 * other fields.
 */
function changedOnTheWay(
  tuple: Tuple,
  list: Listing,
  before: Listing | undefined,
): Reported | undefined {
  return (
    before &&
    list
      .withId(tuple.id)
      .find((entry) => before.withId(tuple.id).every((old) => !isEqual(old, entry)))
  );
}

/** Sent and answered before; the list was late. */
function unconfirmed(entry: LedgerEntry, evidence: Evidence): Line {
  const reported = evidence.list.find(entry);
  if (!reported) return isOver(entry, evidence) ? givenUp : { entry };
  if (!isOurs(entry)) return { entry: found(entry, reported, evidence.goal) };
  const sentAt = Date.parse(entry.nextAttemptTime ?? '') - evidence.atWorkMs;
  if (isSurelyOurs(sentAt, { ...evidence, settlesAt: evidence.entrySettlesAt(entry) }))
    return { entry: added(entry, reported), did: 'added' };
  return unlessAdopted(found(entry, reported, evidence.goal), 'maybe-ours');
}

/** Whether nothing of an open entry can be at work any more. */
function isOver(entry: LedgerEntry, { entrySettlesAt, now }: Evidence): boolean {
  return entrySettlesAt(entry) <= now;
}

function refusedBefore(entry: LedgerEntry, { list, goal }: Evidence): Line {
  const reported = list.find(entry);
  if (reported) return { entry: found(entry, reported, goal) };
  return isListedIn(goal, entry) && !goal.isCleanup ? { entry } : {};
}

function afterRemove(
  entry: LedgerEntry,
  reported: Reported | undefined,
  evidence: Evidence,
  sent: Sent,
): Line {
  const { goal } = evidence;
  if (!reported) {
    if (sent.how === 'answered' || isMissedFor(SECOND_LOOK_MS, entry, evidence))
      return { did: 'removed' };
    return { entry: entry.state === 'Missing' ? entry : missed(entry, evidence.now) };
  }
  if (sent.how === 'refused') {
    const tried = isAmong(sent.blamed, entry) ? { ...entry, ...sent.failure } : entry;
    return { entry: kept(tried, reported, goal) };
  }
  // Not Found before the removal is settled: an object that is being deleted and owns nothing is
  // let go at once, and the removal could still take effect after that.
  const isSame =
    isSurelyOurs(Date.parse(sent.pending.time), evidence) &&
    !isMissedFor(SAME_AGAIN_MS, entry, evidence);
  if (sent.how === 'lost' && !isSame) {
    if (isSettled(evidence))
      return {
        entry: { ...kept(entry, reported, goal), origin: 'Found' },
        remark: 'maybe-still-ours',
      };
    // Until then the entry keeps since when it was missed.
    if (entry.state === 'Missing') return { entry };
  }
  return removing(entry, reported, evidence);
}

function removing(entry: LedgerEntry, reported: Reported | undefined, evidence: Evidence): Line {
  if (!reported) return { did: 'removed' };
  // That the API has refused it before says nothing any more.
  const present = kept(bare(entry), reported, evidence.goal);
  if (isOver(entry, evidence)) return { entry: present, unconfirmedChange: true };
  const nextAttemptTime = timestamp(wholeSecond(evidence.entrySettlesAt(entry)));
  return { entry: { ...present, state: 'Removing', nextAttemptTime } };
}

function missing(entry: LedgerEntry, reported: Reported | undefined, evidence: Evidence): Line {
  if (!reported) {
    if (!isMissedFor(SECOND_LOOK_MS, entry, evidence)) return { entry };
    return isOurs(entry) ? { remark: 'vanished' } : {};
  }
  const present = kept(entry, reported, evidence.goal);
  if (!isMissedFor(SAME_AGAIN_MS, entry, evidence) || !isOurs(entry)) return { entry: present };
  return { entry: { ...present, origin: 'Found' }, remark: 'came-back' };
}

/** Whether nothing of what was sent last can be at work any more. */
export function isSettled({ settlesAt, now }: Pick<Evidence, 'settlesAt' | 'now'>): boolean {
  return settlesAt <= now;
}

function isAmong(tuples: readonly Tuple[], tuple: Tuple): boolean {
  return tuples.some((one) => sameKey(one) === sameKey(tuple));
}

function summed(lines: readonly { readonly tuple: Tuple; readonly line: Line }[]): Settlement {
  const which = (did: Line['did']): Tuple[] =>
    lines.flatMap(({ tuple, line }) => (line.did === did ? [tupleOf(line.entry ?? tuple)] : []));
  return {
    ledger: lines.flatMap(({ line }) => (line.entry ? [line.entry] : [])),
    added: which('added'),
    removed: which('removed'),
    remarks: lines.flatMap(({ tuple, line }) =>
      line.remark ? [{ remark: line.remark, tuple: tupleOf(tuple) }] : [],
    ),
    unconfirmedChanges: lines.flatMap(({ tuple, line }) =>
      line.unconfirmedChange ? [sameKey(tuple)] : [],
    ),
    altered: lines.flatMap(({ line: { entry, sentAs } }) =>
      entry && sentAs ? [{ sent: sentAs, entry }] : [],
    ),
  };
}
