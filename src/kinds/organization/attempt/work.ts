import { generationOf, readyOf, requestedAt } from '../../status/common-status.ts';
import { type Due, whenDue } from '../../status/due.ts';
import { confirmedAgainst } from '../../target/target.ts';
import { tupleKey } from '../endpoints/endpoints.ts';
import type { Goal } from '../goal.ts';
import type { Evidence } from '../ledger/ledger.ts';
import type { Facts } from '../load.ts';
import { addressOf } from '../remote.ts';
import { FINALIZER, type Organization, type OrganizationSpec } from '../resource.ts';
import { type Notes, type Session, settlingAt } from './notes.ts';
import { sessionOf } from './session.ts';

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

/**
 * When what was sent is over, by the wall clock as of the decision: what `settle` has to know of
 * it.
 */
export function settling(
  { notes, plannedAt, atWorkMs }: Pick<Work, 'notes' | 'plannedAt' | 'atWorkMs'>,
  now: number,
): Pick<Evidence, 'now' | 'settled' | 'settlesAt' | 'openUntil' | 'missedAt' | 'atWorkMs'> {
  const onTheWall = (monotonic: number): number => now + monotonic - plannedAt.monotonic;
  return {
    now,
    settled: plannedAt.monotonic >= notes.settlesAt,
    settlesAt: onTheWall(notes.settlesAt),
    openUntil: (entry) => onTheWall(settlingAt(notes, entry)),
    missedAt: (entry) => {
      const missedAt = notes.missedAt?.get(tupleKey(entry));
      return missedAt === undefined ? undefined : onTheWall(missedAt);
    },
    atWorkMs,
  };
}
