import { type Goal, goalOf } from '../../src/kinds/organization/decide.ts';
import { Listing, type Reported, type Tuple } from '../../src/kinds/organization/endpoints.ts';
import type {
  InventoryEntry,
  OrganizationSpec,
  OrganizationStatus,
} from '../../src/kinds/organization/resource.ts';
import { API_HASH, HOUR, T0 } from './objects.ts';

/** RFC 3339, this many ms after T0. */
export const at = (ms: number): string => `${new Date(T0 + ms).toISOString().slice(0, 19)}Z`;

/** An endpoint that is like every other but for its id. */
export const e = (id: string, more: Partial<Tuple> = {}): Tuple => ({
  id,
  cloudProvider: 'gcp',
  region: 'r1',
  ...more,
});

/** One of this object's that is there. */
export const entry = (id: string, more: Partial<InventoryEntry> = {}): InventoryEntry => ({
  ...e(id),
  origin: 'Added',
  state: 'Present',
  ...more,
});

/** Ids stand for endpoints that are like every other. */
export const listing = (...entries: readonly (string | Reported)[]): Listing =>
  new Listing(entries.map((one) => (typeof one === 'string' ? e(one) : one)));

export const specOf = (
  ids: readonly string[] | undefined,
  more: Partial<OrganizationSpec> = {},
): OrganizationSpec => ({
  organizationId: '0b1d7c52-91a4-4f0e-8a3b-6f1e2d3c4b5a',
  credentialsSecretRef: { name: 'api' },
  ...(ids && { privateEndpoints: ids.map((id) => e(id)) }),
  ...more,
});

export const goal = (
  ids: readonly string[] | undefined,
  more: Partial<OrganizationSpec> = {},
): Goal => goalOf(specOf(ids, more));

/** A status of an object that was applied before, with this inventory. */
export function appliedStatus(
  privateEndpoints: InventoryEntry[],
  more: OrganizationStatus = {},
): OrganizationStatus {
  const time = at(-HOUR);
  return {
    verified: { time, apiHash: API_HASH },
    applied: { time, generation: 1, requestHash: 'sha256:before', keys: ['privateEndpoints'] },
    privateEndpoints,
    ...more,
  };
}
