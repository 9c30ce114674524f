import type { Event } from '../../controller/kind.ts';
import { timestamp } from '../shared/canonical.ts';
import { sameKey, type Tuple, tupleOf } from './endpoints/endpoints.ts';
import { relocatedEvents } from './events.ts';
import { isOurs } from './goal.ts';
import type { InventoryEntry, OrganizationStatus } from './resource.ts';

/** What is this object's, or may be. */
export function oursIn({ privateEndpoints = [], pendingChange }: OrganizationStatus): Tuple[] {
  const ours = privateEndpoints.filter(isOurs);
  const known = new Set(ours.map(sameKey));
  const added = pendingChange?.add.filter((tuple) => !known.has(sameKey(tuple))) ?? [];
  return [...ours, ...added].map(tupleOf);
}

/**
 * The status, as far as it speaks of this API: with another `--api-url`, what was ours there can be
 * neither seen nor removed here.
 */
export function ofThisApi(
  status: OrganizationStatus,
  apiHash: string,
): { readonly draft: OrganizationStatus; readonly events?: readonly Event[] } {
  const { verified, applied, organization, pendingChange, listLeftOutSince, ...rest } = status;
  if (verified === undefined || verified.apiHash === apiHash) return { draft: status };
  const asFound = (entry: InventoryEntry) =>
    ({ ...tupleOf(entry), origin: 'Found', state: 'Present' }) as const;
  const privateEndpoints = rest.privateEndpoints?.filter(({ origin }) => origin).map(asFound);
  return { draft: { ...rest, privateEndpoints }, events: relocatedEvents(oursIn(status)) };
}

/** A person wants it now: what was sent in vain does not wait for its own time. */
export function dueNow(status: OrganizationStatus, now: number): OrganizationStatus {
  const nextAttemptTime = timestamp(now);
  const privateEndpoints = status.privateEndpoints?.map((entry) =>
    entry.attempts === undefined ? entry : { ...entry, nextAttemptTime },
  );
  return { ...status, privateEndpoints };
}
