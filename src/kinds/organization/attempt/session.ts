import { canonicalJson } from '../../status/canonical.ts';
import { generationOf, requestedAt } from '../../status/common-status.ts';
import { sameKey, tupleKey } from '../endpoints/endpoints.ts';
import type { LedgerEntry, Organization, OrganizationStatus, PendingChange } from '../resource.ts';
import { remarkNotices } from './ledger-notices.ts';
import { isUnsent, type Notes, type Session, unsentOf } from './notes.ts';

/** So far apart, two looks without a list may say that it is empty. */
export const TWO_LOOKS_MS = 60_000;

/** An intent leaves at most this long after it was written. */
const FRESH_INTENT_MS = 5_000;

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
