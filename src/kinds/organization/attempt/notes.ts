import type { Notice } from '../../../controller/kind.ts';
import { canonicalJson } from '../../status/canonical.ts';
import { type Listing, type Tuple, tupleKey } from '../endpoints/endpoints.ts';
import { openEntries } from '../ledger/open-entries.ts';
import type { LedgerEntry, Organization, OrganizationStatus, PendingChange } from '../resource.ts';

/** How the API refused something. */
export type Refusal = NonNullable<LedgerEntry['lastError']> & { readonly message: string };

/** What the last reply of this attempt showed. */
export interface Fresh {
  /** Undefined: unknown. */
  readonly list?: Listing;
  /**
   * After a name, the list together with that of the look before it: a name changes no endpoint, so
   * what either shows was there.
   */
  readonly shown?: Listing;
  /**
   * No reply had a list, and two looks a minute apart say that there is none: it counts as empty.
   */
  readonly isAssumed?: true;
  readonly name?: string;
  readonly requestId?: string;
  readonly responseHash: string;
  readonly secretVersion: string;
  /** Monotonic ms. */
  readonly at: number;
}

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

/** One attempt between two of its steps. */
export interface Session {
  /** What user and status said when it began or last wrote; another word of either ends it. */
  readonly anchor: string;
  /** What the status will say, but for what the end of the attempt decides. */
  readonly draft: OrganizationStatus;
  readonly fresh?: Fresh;
  /** Its first look had grown old before anything could be sent, and it has looked once more. */
  readonly hasLookedAgain?: true;
  readonly isNamed?: true;
  readonly nameRefusal?: Refusal;
  /** How the API answered the intent that stands in the status. */
  readonly refusal?: Refusal;
  /**
   * A change was refused without saying which endpoint is to blame: removals go together, then one
   * add after another.
   */
  readonly isSplit?: true;
  /** Refusals of what is now to blame by itself, with nothing accepted between. */
  readonly refusalsInRow: number;
  readonly notices: readonly Notice[];
  /** Changes at the API without this object that no report has counted yet. */
  readonly drift: number;
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
