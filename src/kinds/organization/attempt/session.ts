import { isDeepStrictEqual } from 'node:util';
import type { Notice } from '../../../controller/kind.ts';
import { canonicalJson } from '../../status/canonical.ts';
import {
  currentReady,
  generationOf,
  isRequested,
  requestedAt,
} from '../../status/common-status.ts';
import { confirmedAgainst } from '../../target/target.ts';
import { type Listing, sameKey, tupleKey } from '../endpoints/endpoints.ts';
import type { Goal } from '../goal.ts';
import { remarkNotices } from '../ledger/notices.ts';
import type { Facts } from '../load.ts';
import { addressOf } from '../remote.ts';
import type {
  LedgerEntry,
  Organization,
  OrganizationSpec,
  OrganizationStatus,
} from '../resource.ts';
import { isTooLate, isUnsent, type Notes } from './notes.ts';

/** One attempt between two of its steps. */
export interface Session {
  /**
   * Spec, request and records of the status when it began or last wrote; see `anchorOf`. When any
   * of these changes, the session is over.
   */
  readonly anchor: string;
  /** The status so far. Condition, times and counts are added where the attempt ends. */
  readonly draft: OrganizationStatus;
  readonly fresh?: FreshReply;
  /** How often a look had grown old before a change could be sent, and was made once more. */
  readonly looksAgain?: number;
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

/** What the last reply of this attempt showed. */
export interface FreshReply {
  /** Undefined: unknown. */
  readonly list?: Listing | undefined;
  /**
   * After a name was sent: its list together with that of the look before it. A name changes no
   * endpoint, so an entry of either was there.
   */
  readonly shown?: Listing | undefined;
  /** No reply had a list, also after two looks a minute apart: the list counts as empty. */
  readonly isAssumed?: boolean;
  readonly name?: string | undefined;
  readonly requestId?: string | undefined;
  readonly responseHash: string;
  readonly secretVersion: string;
  /** Monotonic ms. */
  readonly at: number;
}

/** How the API refused something. */
export type Refusal = NonNullable<LedgerEntry['lastError']> & { readonly message: string };

/** What every step of an attempt is done with. */
export interface Work {
  readonly spec: OrganizationSpec;
  readonly goal: Goal;
  readonly segments: readonly string[];
  /** Identifies the declared state at this API. */
  readonly hash: string;
  readonly apiHash: string;
  readonly notes: Notes;
  readonly session: Session;
  /** The user has said something that the status does not speak of yet. */
  readonly isAskedAnew: boolean;
  /**
   * Another object, or a write that no status tells of, has come after what was confirmed last: a
   * difference that a look finds may come from that.
   */
  readonly othersMayHaveWritten: boolean;
  /** Other objects stand for this organization. */
  readonly isShared: boolean;
  /** Epoch and monotonic ms of the decision; nothing was asked of the API before it. */
  readonly decidedAt: { readonly now: number; readonly monotonic: number };
  /**
   * Monotonic ms at which the first byte of this step's call left, and at which the call was over:
   * the API may have done its part at any moment between. Where none was made, the decision's.
   */
  readonly leftAt: number;
  readonly answeredAt: number;
  /** How long after it was sent a write may be at work at the API. */
  readonly atWorkMs: number;
  /** On deletion: when the object is let go whatever happens. */
  readonly deadline?: number;
}

export function workOf(
  object: Organization,
  { notes, hasUnrecordedWrite, standing, baseUrl, apiHash, monotonic }: Facts,
  {
    spec,
    goal,
    now,
    deadline,
  }: {
    readonly spec: OrganizationSpec;
    readonly goal: Goal;
    readonly now: number;
    readonly deadline?: number;
  },
): Work {
  const { segments, hash } = addressOf(baseUrl, spec.organizationId, goal);
  const isNew = isAskedAnew(object);
  const session = sessionOf(object, notes, monotonic);
  const generation = generationOf(object);
  const unconfirmedChanges =
    notes.unconfirmedChanges.generation === generation
      ? notes.unconfirmedChanges
      : { generation, counts: new Map() };
  return {
    spec,
    goal,
    segments,
    hash,
    apiHash,
    notes: { ...notes, unconfirmedChanges, session: undefined },
    session: isNew ? withRefusalsDue(session) : session,
    isAskedAnew: isNew,
    othersMayHaveWritten: hasUnrecordedWrite || confirmedAgainst(standing, now) !== undefined,
    isShared: standing.others.length > 0,
    decidedAt: { now, monotonic },
    leftAt: monotonic,
    answeredAt: monotonic,
    atWorkMs: standing.atWorkMs,
    ...(deadline !== undefined && { deadline }),
  };
}

/**
 * Whether the user has said something that the status does not speak of yet: another spec, or a
 * request to try now.
 */
function isAskedAnew(object: Organization): boolean {
  return isRequested(object) || currentReady(object, object.status) === undefined;
}

/** What the API refused before is tried again with this attempt. */
export function withRefusalsDue(session: Session): Session {
  const { privateEndpoints } = session.draft;
  if (session.fresh || !privateEndpoints) return session;
  const ledger = privateEndpoints.map((entry) => {
    const { nextAttemptTime: _, ...due } = entry;
    return entry.lastError === undefined ? entry : due;
  });
  return { ...session, draft: { ...session.draft, privateEndpoints: ledger } };
}

/** The session that is under way, if nothing has ended it. */
export function sessionUnderWay(
  object: Organization,
  notes: Notes,
  monotonic: number,
): Session | undefined {
  const { session } = notes;
  const isLate = isTooLate(notes, session?.draft.pendingChange, monotonic);
  return session && session.anchor === anchorOf(object, object.status) && !isLate
    ? session
    : undefined;
}

/** The session that is under way; else a new one, which has not looked yet. */
export function sessionOf(object: Organization, notes: Notes, monotonic: number): Session {
  const underWay = sessionUnderWay(object, notes, monotonic);
  if (underWay) return underWay;
  const { status } = object;
  return {
    anchor: anchorOf(object, status),
    draft: {
      ...withoutUnsent(status ?? {}, notes),
      ...withLastCount(status, notes),
      plan: undefined,
    },
    refusalsInRow: 0,
    notices: remarkNotices(
      takenForAdded(status, notes).map((tuple) => ({ remark: 'never-sent', tuple })),
    ),
    drift: 0,
  };
}

/**
 * What ends a session when it changes: the spec, a request of the user, or what another process has
 * recorded.
 */
export function anchorOf(object: Organization, status: OrganizationStatus | undefined): string {
  const { time, apiHash } = status?.proof ?? {};
  return canonicalJson([
    object.metadata.uid,
    generationOf(object),
    // A cluster that was restored from a backup counts the same generations once more.
    object.spec,
    requestedAt(object),
    status?.pendingChange,
    status?.lastRequest,
    // Not since when the proof is of no use: that is noted while an attempt goes on.
    time,
    apiHash,
  ]);
}

/** The status that told of the last list may have been lost: then this one has its length. */
function withLastCount(
  status: OrganizationStatus | undefined,
  { looks: { lastCount } }: Notes,
): Pick<OrganizationStatus, 'organization'> {
  return lastCount === undefined
    ? {}
    : { organization: { ...status?.organization, privateEndpointsTotal: lastCount } };
}

/**
 * Drops an intent that never left. Another process may have taken it for lost: what that one has
 * recorded because of it is undone.
 */
function withoutUnsent(status: OrganizationStatus, notes: Notes): OrganizationStatus {
  const { pendingChange, ...rest } = status;
  if (!pendingChange || !isUnsent(notes, pendingChange)) return status;
  const unsent = new Set(pendingChange.remove.map(tupleKey));
  const undone = new Set(takenForAdded(status, notes));
  const seen = rest.privateEndpoints?.filter(
    (entry) => !undone.has(entry) || entry.state !== 'Unconfirmed',
  );
  const ledger = seen?.map((entry): LedgerEntry => {
    const { nextAttemptTime: _, ...known } = entry;
    if (undone.has(entry)) return { ...entry, origin: 'Found' };
    return entry.state === 'Removing' && unsent.has(tupleKey(entry))
      ? { ...known, state: 'Present' }
      : entry;
  });
  return { ...rest, ...(ledger && { privateEndpoints: ledger }) };
}

/**
 * What another process has recorded as Added because of this intent, which the look before it
 * lacked.
 */
function takenForAdded(
  status: OrganizationStatus | undefined,
  notes: Notes,
): readonly LedgerEntry[] {
  const { pendingChange, privateEndpoints = [] } = status ?? {};
  const add = new Set(isUnsent(notes, pendingChange) ? pendingChange?.add.map(sameKey) : []);
  return privateEndpoints.filter((entry) => entry.origin === 'Added' && add.has(sameKey(entry)));
}

/** The attempt has had an answer that no status tells of. */
export function isUntold({ status }: Organization, { draft }: Session): boolean {
  return !isDeepStrictEqual(draft.lastRequest, status?.lastRequest);
}
