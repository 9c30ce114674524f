import type { Notice } from '../../../controller/kind.ts';
import { FRESH_INTENT_MS } from '../../../waits.ts';
import { canonicalJson } from '../../status/canonical.ts';
import { generationOf, readyOf, requestedAt } from '../../status/common-status.ts';
import { type Due, whenDue } from '../../status/due.ts';
import { confirmedAgainst } from '../../target/target.ts';
import { type Listing, sameKey, tupleKey } from '../endpoints/endpoints.ts';
import type { Goal } from '../goal.ts';
import { remarkNotices } from '../ledger/notices.ts';
import type { Facts } from '../load.ts';
import { addressOf } from '../remote.ts';
import {
  FINALIZER,
  type LedgerEntry,
  type Organization,
  type OrganizationSpec,
  type OrganizationStatus,
  type PendingChange,
} from '../resource.ts';
import { isUnsent, type Notes, unsentOf } from './notes.ts';

/**
 * Whether this intent has stood unsent for so long that it may not leave any more: others count
 * from when they saw it.
 */
export function isTooLate(
  notes: Notes,
  pending: PendingChange | undefined,
  monotonic: number,
): boolean {
  const unsent = unsentOf(notes, pending);
  return unsent !== undefined && monotonic - unsent.at > FRESH_INTENT_MS;
}

/**
 * The session as long as it speaks of what user and status say now; else a new one, which has not
 * looked yet.
 */
export function sessionOf(object: Organization, notes: Notes, monotonic: number): Session {
  const { status } = object;
  const { session } = notes;
  const isLate = isTooLate(notes, session?.draft.pendingChange, monotonic);
  if (session && speaksOf(session, object) && !isLate) return session;
  return {
    anchor: anchorOf(object, status),
    draft: { ...withoutUnsent(status ?? {}, notes), ...withListed(status, notes), plan: undefined },
    refusalsInRow: 0,
    notices: remarkNotices(
      claimedByUnsent(status, notes).map((tuple) => ({ remark: 'never-sent', tuple })),
    ),
    drift: 0,
  };
}

/** A list whose status was lost is told of by the next one. */
function withListed(
  status: OrganizationStatus | undefined,
  { listed }: Notes,
): Pick<OrganizationStatus, 'organization'> {
  return listed === undefined
    ? {}
    : { organization: { ...status?.organization, privateEndpointsTotal: listed } };
}

/**
 * CRDs of the first version drop the proof from what is written. That is nobody's word: if it ended
 * the session, each intent would begin another attempt, at once and for ever.
 */
function speaksOf({ anchor, draft }: Session, object: Organization): boolean {
  const { status } = object;
  if (anchor === anchorOf(object, status)) return true;
  return (
    status?.proof === undefined && anchor === anchorOf(object, { ...status, proof: draft.proof })
  );
}

/**
 * An intent that never left is of no further interest, nor what another process has noted of it,
 * which took it for lost.
 */
function withoutUnsent(status: OrganizationStatus, notes: Notes): OrganizationStatus {
  const { pendingChange, ...rest } = status;
  if (!pendingChange || !isUnsent(notes, pendingChange)) return status;
  const unsent = new Set(pendingChange.remove.map(tupleKey));
  const claimed = new Set(claimedByUnsent(status, notes));
  const seen = rest.privateEndpoints?.filter(
    (entry) => !claimed.has(entry) || entry.state !== 'Unconfirmed',
  );
  const ledger = seen?.map((entry): LedgerEntry => {
    const { nextAttemptTime: _, ...known } = entry;
    if (claimed.has(entry)) return { ...entry, origin: 'Found' };
    return entry.state === 'Removing' && unsent.has(tupleKey(entry))
      ? { ...known, state: 'Present' }
      : entry;
  });
  return { ...rest, ...(ledger && { privateEndpoints: ledger }) };
}

/** What another process has taken for added by it: the look before had none of that. */
function claimedByUnsent(
  status: OrganizationStatus | undefined,
  notes: Notes,
): readonly LedgerEntry[] {
  const { pendingChange, privateEndpoints = [] } = status ?? {};
  const add = new Set(isUnsent(notes, pendingChange) ? pendingChange?.add.map(sameKey) : []);
  return privateEndpoints.filter((entry) => entry.origin === 'Added' && add.has(sameKey(entry)));
}

/** What ends a session when it changes: the user's word, and what anybody else has recorded. */
export function anchorOf(object: Organization, status: OrganizationStatus | undefined): string {
  const { time, apiHash } = status?.proof ?? {};
  return canonicalJson([
    object.metadata.uid,
    generationOf(object),
    // A cluster that was restored gives the numbers of generations once more.
    object.spec,
    requestedAt(object),
    status?.pendingChange,
    status?.lastRequest,
    // Since when it is of no use is noted on the way to the status.
    time,
    apiHash,
  ]);
}

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
  readonly isNews: boolean;
  /**
   * Another object of it, or a write that stands in no status, has come after what was confirmed:
   * what a look finds may be that.
   */
  readonly isOwed: boolean;
  /** Other objects stand for this organization. */
  readonly hasRivals: boolean;
  /** Epoch and monotonic ms of the decision; nothing was asked of the API before it. */
  readonly plannedAt: { readonly now: number; readonly monotonic: number };
  /** Monotonic ms at which the first byte of this step's call left, where it was made. */
  readonly leftAt?: number;
  /** Monotonic ms at which it was over: the API may have done its part at any moment between. */
  readonly answeredAt?: number;
  /** How long after it was sent a write may be at work at the API. */
  readonly atWorkMs: number;
  /** On deletion: when the object is let go whatever happens. */
  readonly deadline?: number;
}

/** Whether the finalizer is on. */
export function hasFinalizer(object: Organization): boolean {
  return object.metadata.finalizers?.includes(FINALIZER) ?? false;
}

/** Whether its time has come. `reassertMs` undefined: never for that reason alone. */
export function dueOf(
  object: Organization,
  { secret, triedSecret, hasSlot }: Facts,
  asked: {
    readonly confirmed: boolean;
    readonly reassertMs?: number | undefined;
    readonly now: number;
  },
): Due {
  return whenDue({
    generation: generationOf(object),
    uid: object.metadata.uid,
    status: object.status,
    requested: requestedAt(object),
    secret,
    triedSecret,
    hasSlot,
    reassertMs: asked.reassertMs,
    confirmed: asked.confirmed,
    now: asked.now,
  });
}

export function workOf(
  object: Organization,
  { notes, owed, standing, baseUrl, apiHash, atWorkMs, monotonic }: Facts,
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
  const isNew = isNews(object);
  const generation = generationOf(object);
  const inVain =
    notes.inVain.generation !== generation ? { generation, counts: new Map() } : notes.inVain;
  return {
    spec,
    goal,
    segments,
    hash,
    apiHash,
    notes: { ...notes, inVain },
    session: isNew
      ? withRefusalsDue(sessionOf(object, notes, monotonic))
      : sessionOf(object, notes, monotonic),
    isNews: isNew,
    isOwed: owed || confirmedAgainst(standing, now) !== undefined,
    hasRivals: standing.others.length > 0,
    plannedAt: { now, monotonic },
    atWorkMs,
    ...(deadline !== undefined && { deadline }),
  };
}

/** What the API refused before is tried again with this attempt. */
function withRefusalsDue(session: Session): Session {
  const { privateEndpoints } = session.draft;
  if (session.fresh || !privateEndpoints) return session;
  const ledger = privateEndpoints.map((entry) => {
    const { nextAttemptTime: _, ...due } = entry;
    return entry.lastError === undefined ? entry : due;
  });
  return { ...session, draft: { ...session.draft, privateEndpoints: ledger } };
}

/**
 * Whether the user has said something that the status does not speak of yet: another spec, or a
 * request to try now.
 */
function isNews(object: Organization): boolean {
  const requested = requestedAt(object);
  if (requested !== undefined && requested !== object.status?.lastHandledReconcileAt) return true;
  return readyOf(object.status)?.observedGeneration !== generationOf(object);
}

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
