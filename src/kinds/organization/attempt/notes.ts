import { canonicalJson } from '../../status/canonical.ts';
import { type Tuple, tupleKey } from '../endpoints/endpoints.ts';
import { openEntries } from '../ledger/times.ts';
import type { Organization, OrganizationStatus, PendingChange } from '../resource.ts';
import type { Session } from './session.ts';

/** An intent that this process has put on record and that has not begun to leave. */
export interface Unsent {
  readonly pending: PendingChange;
  /** Monotonic ms. */
  readonly at: number;
  /** It has got there: what is lost after that is another status. */
  readonly isOnRecord?: true;
}

/** `name` undefined: sent by another process. */
export interface LostName {
  readonly name?: string;
  /** Monotonic ms: when it can be at work no more. */
  readonly settlesAt: number;
}

/** What this process alone knows of one object. Losing it costs time and calls, never safety. */
export interface Notes {
  readonly uid: string;
  /** What the status has that may be at work at the API, when this was last noted. */
  readonly open: string;
  /** What it told of the last request then: another one is of another process. */
  readonly lastRequest?: OrganizationStatus['lastRequest'];
  /** Monotonic ms: when nothing of what was sent or first seen last can be at work any more. */
  readonly settlesAt: number;
  /**
   * The same of each entry of the ledger that was left open, by `tupleKey`: what is sent after it
   * takes no time from it and adds none.
   */
  readonly openUntil: ReadonlyMap<string, number>;
  /**
   * Monotonic ms: since when each entry is Missing by this process's own looks, or by what it was
   * told, by `tupleKey`.
   */
  readonly missedAt?: ReadonlyMap<string, number>;
  /** Looks since it was sent or first seen. */
  readonly looks: number;
  /** The one that is being put on record first; behind it the one that stands there until it is. */
  readonly unsent?: readonly Unsent[];
  /** Names whose fate is unknown, each for want of an answer or of an answer that shows it. */
  readonly lostNames?: readonly LostName[];
  /**
   * How many entries the last list had that this process was shown: its status may have been lost.
   */
  readonly listed?: number;
  /** Monotonic ms of the first look in a row that showed no list. */
  readonly unlistedSince?: number;
  /** Monotonic ms: so long the declared name serves as the look. */
  readonly lookByNameUntil?: number;
  /** Looks in a row that were answered with 5xx. */
  readonly failedLooks: number;
  /**
   * Monotonic ms of the first 404 or 410 in a row since the deletion; `isGone`: of the second, long
   * enough after it.
   */
  readonly missingSince?: number;
  readonly isGone?: true;
  /** How often an endpoint was sent in vain, for one generation. */
  readonly inVain: { readonly generation: number; readonly counts: ReadonlyMap<string, number> };
  readonly session?: Session;
  /** What was said of what it leaves when its finalizer was to go. */
  readonly goodbye?: string;
  /**
   * Monotonic ms: its finalizer was taken off, and until then the store may not have heard of its
   * end.
   */
  readonly letGoUntil?: number;
}

/** What is known of an object from the first byte of its intent on. */
export function leftAt(before: Notes, monotonic: number, atWorkMs: number): Notes {
  const { unsent: _, ...notes } = before;
  return { ...notes, settlesAt: monotonic + atWorkMs, looks: 0 };
}

/** One more name whose fate is unknown; it says nothing of those that were sent before. */
export function withLostName(
  { lostNames = [] }: Notes,
  lost: LostName,
  monotonic: number,
): readonly LostName[] {
  return [
    ...lostNames.filter(({ name, settlesAt }) => name !== lost.name && settlesAt > monotonic),
    lost,
  ];
}

/** What is open in this status; what is new among it came with what was sent or seen last. */
export function openNow(
  notes: Pick<Notes, 'settlesAt' | 'openUntil'>,
  status: OrganizationStatus | undefined,
): Pick<Notes, 'open' | 'openUntil' | 'lastRequest'> {
  const until = openEntries(status?.privateEndpoints).map(
    (entry) => [tupleKey(entry), settlingAt(notes, entry)] as const,
  );
  return { open: openIn(status), openUntil: new Map(until), lastRequest: status?.lastRequest };
}

/** Monotonic ms: when nothing of this entry can be at work any more. */
export function settlingAt(
  { settlesAt, openUntil }: Pick<Notes, 'settlesAt' | 'openUntil'>,
  entry: Tuple,
): number {
  return openUntil.get(tupleKey(entry)) ?? settlesAt;
}

/** Whatever of a status may be at work at the API. */
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
export function isUnsent(notes: Notes, pending: PendingChange | undefined): boolean {
  return unsentOf(notes, pending) !== undefined;
}

export function unsentOf(
  { unsent = [] }: Pick<Notes, 'unsent'>,
  pending: PendingChange | undefined,
): Unsent | undefined {
  if (!pending) return undefined;
  const text = canonicalJson(pending);
  return unsent.find((one) => canonicalJson(one.pending) === text);
}

/**
 * An intent is about to be put on record. Where that fails, the one that stands there is as certain
 * not to have left as before.
 */
export function intending(notes: Notes, { status }: Organization, next: Unsent): Notes {
  const standing = unsentOf(notes, status?.pendingChange);
  return { ...notes, unsent: standing ? [next, standing] : [next] };
}
