import { FRESH_INTENT_MS } from '../../../waits.ts';
import { canonicalJson } from '../../status/canonical.ts';
import { type Tuple, tupleKey } from '../endpoints/endpoints.ts';
import { openEntries } from '../ledger/times.ts';
import type { Organization, OrganizationStatus, PendingChange } from '../resource.ts';
import type { Session } from './session.ts';

/**
 * What this process alone knows of one object. Losing it costs time and calls, never safety. All
 * times are monotonic ms.
 */
export interface Notes {
  readonly uid: string;
  readonly atWork: AtWork;
  /** The newest first; behind it the one that stands in the status until the newest does. */
  readonly unsent: readonly UnsentIntent[];
  readonly lostNames: readonly LostName[];
  readonly looks: LookNotes;
  /** Of each endpoint (`sameKey`), for one generation. */
  readonly unconfirmedChanges: {
    readonly generation: number;
    readonly counts: ReadonlyMap<string, number>;
  };
  readonly deletion: DeletionNotes;
  /** The attempt that is under way. */
  readonly session?: Session | undefined;
}

/** What may be at work at the API: the intent on record and the open entries of the ledger. */
export interface AtWork {
  /** What the status had of these when this was noted. */
  readonly open: string;
  /** What the status told of the last request then: a different one is another process's. */
  readonly lastRequest?: OrganizationStatus['lastRequest'];
  /**
   * When nothing of what was sent last, or seen for the first time last, can be at work any more.
   */
  readonly settlesAt: number;
  /**
   * The same for each entry that an earlier request has left open, by `tupleKey`: a later request
   * does not change its time.
   */
  readonly entriesSettleAt: ReadonlyMap<string, number>;
  /** Looks since it was sent, or seen for the first time. */
  readonly looks: number;
}

/**
 * An intent that this process has put on record, or is about to, and that has not begun to leave.
 */
export interface UnsentIntent {
  readonly pending: PendingChange;
  readonly at: number;
  /** The status with it is written: what is lost after that is another status. */
  readonly isOnRecord?: true;
}

/** A name that was sent, and no answer has shown it. `name` undefined: another process sent it. */
export interface LostName {
  readonly name?: string;
  /** When it can be at work no more. */
  readonly settlesAt: number;
}

/** What its looks have taught this process about the organization. */
export interface LookNotes {
  /** Since when each Missing entry is missed, by this process's looks or what it was told. */
  readonly missedAt: ReadonlyMap<string, number>;
  /** How many entries the last list had; the status that tells of it may have been lost. */
  readonly lastCount?: number | undefined;
  /** The first look in a row that showed no list. */
  readonly unlistedSince?: number | undefined;
  /** Until then the declared name serves as the look. */
  readonly byNameUntil?: number | undefined;
  /** Looks in a row that were answered with 5xx. */
  readonly failedInRow: number;
}

export interface DeletionNotes {
  /** The first 404 or 410 in a row. */
  readonly notFoundSince?: number | undefined;
  /** The second one came long enough after it: the organization is gone. */
  readonly isGone?: boolean | undefined;
  /** What was told of all that the object leaves, before its finalizer was to be removed. */
  readonly toldLeft?: string;
  /** The finalizer was removed; until then the store may not have heard of the object's end. */
  readonly finalizerRemovedUntil?: number;
}

/** From the first byte of its intent on: nobody can say any more that it never left. */
export function afterLeaving(notes: Notes, leftAt: number, atWorkMs: number): Notes {
  return {
    ...notes,
    unsent: [],
    atWork: { ...notes.atWork, settlesAt: leftAt + atWorkMs, looks: 0 },
  };
}

/** Notes what is open in this status; what is new among it came with what was sent or seen last. */
export function notingOpen(atWork: AtWork, status: OrganizationStatus | undefined): AtWork {
  const until = openEntries(status?.privateEndpoints).map(
    (entry) => [tupleKey(entry), settlingAt(atWork, entry)] as const,
  );
  return {
    ...atWork,
    open: openIn(status),
    entriesSettleAt: new Map(until),
    lastRequest: status?.lastRequest,
  };
}

export function withOpen(notes: Notes, status: OrganizationStatus | undefined): Notes {
  return { ...notes, atWork: notingOpen(notes.atWork, status) };
}

/** When nothing of this entry can be at work any more. */
export function settlingAt(
  { settlesAt, entriesSettleAt }: Pick<AtWork, 'settlesAt' | 'entriesSettleAt'>,
  entry: Tuple,
): number {
  return entriesSettleAt.get(tupleKey(entry)) ?? settlesAt;
}

/** Whatever of a status may be at work at the API, as a text to compare. */
export function openIn(status: OrganizationStatus | undefined): string {
  const { pendingChange, privateEndpoints } = status ?? {};
  const open = openEntries(privateEndpoints);
  if (!pendingChange && open.length === 0) return '';
  const { time, add, remove } = pendingChange ?? {};
  return canonicalJson([
    time,
    add,
    remove,
    open.map(({ id, cloudProvider, region }) => [id, cloudProvider, region]),
  ]);
}

/** Whether the intent on record is certain not to have left any process. */
export function isUnsent(
  notes: Pick<Notes, 'unsent'>,
  pending: PendingChange | undefined,
): boolean {
  return unsentOf(notes, pending) !== undefined;
}

function unsentOf(
  { unsent }: Pick<Notes, 'unsent'>,
  pending: PendingChange | undefined,
): UnsentIntent | undefined {
  if (!pending) return undefined;
  const text = canonicalJson(pending);
  return unsent.find((one) => canonicalJson(one.pending) === text);
}

/**
 * An intent is about to be put on record. Where that fails, the one that stands there is as certain
 * not to have left as before.
 */
export function intending(notes: Notes, { status }: Organization, next: UnsentIntent): Notes {
  const standing = unsentOf(notes, status?.pendingChange);
  return { ...notes, unsent: standing ? [next, standing] : [next] };
}

/** One more lost name; it says nothing of those that were sent before. */
export function withLostName(
  lostNames: readonly LostName[],
  lost: LostName,
  monotonic: number,
): readonly LostName[] {
  return [
    ...lostNames.filter(({ name, settlesAt }) => name !== lost.name && settlesAt > monotonic),
    lost,
  ];
}

/** One more unconfirmed change of each of these (`sameKey`). */
export function countUnconfirmed(notes: Notes, keys: readonly string[]): Notes {
  const counts = new Map(notes.unconfirmedChanges.counts);
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return { ...notes, unconfirmedChanges: { ...notes.unconfirmedChanges, counts } };
}

/**
 * Whether this intent has stood unsent for so long that it may not leave any more: another process
 * takes it for over a fixed time after it first saw it.
 */
export function isTooLate(
  notes: Notes,
  pending: PendingChange | undefined,
  monotonic: number,
): boolean {
  const unsent = unsentOf(notes, pending);
  return unsent !== undefined && monotonic - unsent.at > FRESH_INTENT_MS;
}
