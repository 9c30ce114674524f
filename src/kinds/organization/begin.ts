import { generationOf } from '../shared/common-status.ts';
import { type Tuple, withAdds } from './endpoints/endpoints.ts';
import { relocatedEvents } from './events.ts';
import { isOurs } from './goal.ts';
import type { Known } from './observation.ts';
import type { InventoryEntry, Organization, OrganizationStatus } from './resource.ts';

/** What an attempt begins with: what the status says, as far as it speaks of this API. */
export function begin({ status = {} }: Organization, apiHash: string): Known {
  const isElsewhere = status.verified !== undefined && status.verified.apiHash !== apiHash;
  return {
    draft: isElsewhere ? relocated(status) : status,
    list: undefined,
    name: undefined,
    observedAt: undefined,
    requestId: undefined,
    events: isElsewhere ? relocatedEvents(oursIn(status)) : [],
    drift: 0,
  };
}

/** `--api-url` has changed: what was ours there can be neither seen nor removed here. */
function relocated(status: OrganizationStatus): OrganizationStatus {
  const { verified, applied, organization, pendingChange, listLeftOutSince, ...rest } = status;
  const asFound = ({ id, cloudProvider, region }: InventoryEntry): InventoryEntry => ({
    ...{ id, cloudProvider, region },
    origin: 'Found',
    state: 'Present',
  });
  return { ...rest, privateEndpoints: status.privateEndpoints?.filter(isOurs).map(asFound) };
}

/** What is this object's, or may be. */
export function oursIn({ privateEndpoints = [], pendingChange }: OrganizationStatus): readonly Tuple[] {
  return withAdds(privateEndpoints.filter(isOurs), pendingChange?.add);
}

/** Whether what the API last confirmed is what is declared now, and nothing is open since. */
export function isConfirmed(object: Organization, hash: string): boolean {
  const { applied, pendingChange, privateEndpoints = [] } = object.status ?? {};
  return (
    applied?.requestHash === hash &&
    applied.generation === generationOf(object) &&
    !pendingChange &&
    privateEndpoints.every(({ state, lastError }) => state === 'Present' && !lastError)
  );
}
