import { cutText } from '../../runtime/conditions.ts';
import { timestamp } from '../canonical.ts';
import { isListed, type Known, type Reported, standsFor, type Tuple, tupleKey, tupleOf } from './endpoints.ts';
import { type Goal, isOurs } from './goal.ts';
import { LIMITS } from './limits.ts';
import type { LedgerEntry, PendingChange } from './resource.ts';

/** An intent that has left, or may have. */
export interface Sent {
  readonly pending: PendingChange;
  /** `answered`: this list is the reply to it. `refused`: it was answered with 4xx. `unknown`: nobody can tell. */
  readonly how: 'answered' | 'refused' | 'unknown';
  /** Sent before any list was known. */
  readonly blind: boolean;
  /** RFC 3339: what is missing in a list asked for before this time may still be at work at the API. */
  readonly until: string;
}

export interface Settlement {
  readonly ledger: readonly LedgerEntry[];
  /** Ours since this list. */
  readonly added: readonly Tuple[];
  /** Ours until this list, and meant to go. */
  readonly removed: readonly Tuple[];
  /** Ours until this list, though nobody here removed them. */
  readonly vanished: readonly Tuple[];
}

export interface Evidence {
  readonly ledger: readonly LedgerEntry[];
  readonly list: readonly Reported[];
  readonly goal: Goal;
  readonly sent?: Sent | undefined;
  /** Epoch ms: when the call that brought the list began. */
  readonly askedAt: number;
}

/**
 * What a list proves about each endpoint of the ledger and of the intent. Presence proves an add and absence a removal at once;
 * the contrary counts only in a list asked for after the API can no longer be at work, or where it refused the request.
 */
export function settle(evidence: Evidence): Settlement {
  const { list, goal, sent, askedAt } = evidence;
  const known = new Map(evidence.ledger.map((entry) => [tupleKey(entry), entry]));
  const adding = new Set(sent?.pending.add.map(tupleKey));
  const removing = new Set(sent?.pending.remove.map(tupleKey));
  const declared = new Set(goal.endpoints?.map(tupleKey));
  const ledger: LedgerEntry[] = [];
  const added: Tuple[] = [];
  const removed: Tuple[] = [];
  const vanished: Tuple[] = [];

  const stillOpen = (until: string | undefined): boolean => until !== undefined && askedAt < Date.parse(until);
  const sentOpen = sent !== undefined && (sent.how === 'answered' || (sent.how === 'unknown' && stillOpen(sent.until)));

  const seen = (tuple: Tuple, entry: LedgerEntry | undefined): void => {
    const key = tupleKey(tuple);
    const origin = originOf(tuple, entry);
    if (origin === 'Added' && (adding.has(key) || entry?.state === 'Unconfirmed')) added.push(tupleOf(tuple));
    if (origin === 'Found' && !declared.has(key)) return;
    const isPending = removing.has(key);
    const open = isPending ? sentOpen : entry?.state === 'Removing' && stillOpen(entry.nextAttemptTime);
    const until = isPending ? sent?.until : entry?.nextAttemptTime;
    ledger.push({
      ...present(tuple, list),
      origin,
      state: open ? 'Removing' : 'Present',
      ...(open && !isPending && entry?.lastError && { lastError: entry.lastError }),
      ...(open && until !== undefined && { nextAttemptTime: until }),
    });
  };

  const originOf = (tuple: Tuple, entry: LedgerEntry | undefined): LedgerEntry['origin'] => {
    const found = goal.adopt ? 'Adopted' : 'Found';
    if (entry && entry.state !== 'Refused') {
      if (entry.origin === 'Added') return 'Added';
      return goal.adopt && declared.has(tupleKey(tuple)) ? 'Adopted' : keptOrigin(entry);
    }
    if (!adding.has(tupleKey(tuple)) || !sent) return found;
    const single = sent.pending.add.length === 1;
    return sent.blind || (single && sent.how === 'refused') ? found : 'Added';
  };
  const keptOrigin = (entry: LedgerEntry): LedgerEntry['origin'] => (isOurs(entry, goal) ? 'Adopted' : 'Found');

  const missed = (tuple: Tuple, entry: LedgerEntry | undefined): void => {
    const key = tupleKey(tuple);
    if (removing.has(key) || entry?.state === 'Removing') {
      removed.push(tupleOf(tuple));
      return;
    }
    if (adding.has(key) && sentOpen && sent) {
      const origin = sent.blind ? 'Found' : 'Added';
      ledger.push({ ...tupleOf(tuple), origin, state: 'Unconfirmed', nextAttemptTime: sent.until });
      return;
    }
    if (!entry) return;
    if (entry.state === 'Unconfirmed' && stillOpen(entry.nextAttemptTime)) ledger.push(entry);
    else if (entry.state === 'Refused' && declared.has(key)) ledger.push(entry);
    else if (entry.state === 'Present' && entry.origin !== 'Found') vanished.push(tupleOf(tuple));
  };

  const subjects = new Map<string, Tuple>();
  const wished = goal.only === 'removals' ? [] : (goal.endpoints ?? []);
  for (const tuple of [...wished, ...evidence.ledger, ...(sent?.pending.add ?? [])]) {
    if (!subjects.has(tupleKey(tuple))) subjects.set(tupleKey(tuple), tuple);
  }
  for (const [key, tuple] of subjects) {
    const entry = known.get(key);
    if (isListed(list, tuple)) seen(tuple, entry);
    else missed(tuple, entry);
  }
  return { ledger, added, removed, vanished };
}

function present(tuple: Tuple, list: readonly Reported[]): Tuple & { readonly description?: string } {
  const description = list.find((reported) => standsFor(reported, tuple))?.description;
  if (description === undefined || description === '') return tupleOf(tuple);
  return { ...tupleOf(tuple), description: cutText(description, LIMITS.ledgerDescription) };
}

/** The ledger without the refusals whose time has come; `all`: the user has changed the spec or asks to try now. */
export function withoutRefusals(
  ledger: readonly LedgerEntry[],
  { now, all }: { readonly now: number; readonly all: boolean },
): readonly LedgerEntry[] {
  const isOver = ({ nextAttemptTime }: LedgerEntry): boolean =>
    all || nextAttemptTime === undefined || Date.parse(nextAttemptTime) <= now;
  return ledger.flatMap((entry): LedgerEntry[] => {
    if (entry.lastError === undefined || !isOver(entry)) return [entry];
    if (entry.state === 'Refused') return [];
    const { lastError: _, nextAttemptTime: __, ...rest } = entry;
    return [{ ...rest, state: 'Present' }];
  });
}

/** The ledger without what is open and has had its time, for an API that cannot be asked: then it counts as not done. */
export function withoutOpen(ledger: readonly LedgerEntry[], now: number): readonly LedgerEntry[] {
  return ledger.flatMap((entry): LedgerEntry[] => {
    const { nextAttemptTime, ...rest } = entry;
    if (nextAttemptTime === undefined || Date.parse(nextAttemptTime) > now) return [entry];
    if (entry.state === 'Unconfirmed') return [];
    return entry.state === 'Removing' ? [{ ...rest, state: 'Present' }] : [entry];
  });
}

/** The ledger with nothing that waits for what was sent beyond this time (epoch ms). */
export function openUntil(ledger: readonly LedgerEntry[], latest: number): readonly LedgerEntry[] {
  return ledger.map((entry) => {
    const { lastError, nextAttemptTime } = entry;
    const isBeyond = nextAttemptTime !== undefined && Date.parse(nextAttemptTime) > latest;
    return isBeyond && lastError === undefined ? { ...entry, nextAttemptTime: timestamp(latest) } : entry;
  });
}

/** An earlier list proves nothing about what was sent since; it only tells what is found, and adopted. */
export function ledgerBy(known: Known | undefined, ledger: readonly LedgerEntry[], goal: Goal): readonly LedgerEntry[] {
  if (known?.complete) return settle({ ledger, list: known.entries, goal, askedAt: 0 }).ledger;
  const declared = new Set(goal.endpoints?.map(tupleKey));
  return ledger.flatMap((entry): LedgerEntry[] => {
    if (entry.origin !== 'Adopted' || goal.adopt) return [entry];
    return declared.has(tupleKey(entry)) ? [{ ...entry, origin: 'Found' }] : [];
  });
}
