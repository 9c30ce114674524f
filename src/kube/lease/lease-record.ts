import { type KubeObject, microTime, type ObjectMeta, type ResourceType } from '../resource.ts';

export const LEASE: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
};

/** What a release leaves behind, as client-go's does. */
const RELEASED_SECONDS = 1;

interface LeaseSpec {
  /** Empty or absent: released. */
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number | null;
  readonly acquireTime?: string | null;
  readonly renewTime?: string | null;
  readonly leaseTransitions?: number | null;
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

/** What is sent: a Lease that may have no resourceVersion yet. */
export interface LeaseDraft {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Partial<ObjectMeta>;
  readonly spec: LeaseSpec;
}

export interface Claim {
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly leaseMs: number;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * The Lease as its holder writes it: taken over from `seen`, renewed where it is ours already, or
 * made where there is none.
 */
export function claimed(seen: Lease | undefined, claim: Claim): LeaseDraft {
  const { identity, leaseMs, now } = claim;
  const ours = seen?.spec?.holderIdentity === identity;
  const spec = {
    ...seen?.spec,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1000),
    renewTime: microTime(now),
    acquireTime: ours && seen.spec?.acquireTime ? seen.spec.acquireTime : microTime(now),
    leaseTransitions: seen ? (seen.spec?.leaseTransitions ?? 0) + (ours ? 0 : 1) : 0,
  };
  const metadata: LeaseDraft['metadata'] = seen?.metadata ?? {
    namespace: claim.namespace,
    name: claim.name,
  };
  return draft(metadata, spec);
}

/** The Lease without a holder, so that a standby need not wait for it to run out. */
export function released(seen: Lease, now: number): LeaseDraft {
  return draft(seen.metadata, {
    ...seen.spec,
    holderIdentity: '',
    leaseDurationSeconds: RELEASED_SECONDS,
    renewTime: microTime(now),
  });
}

/**
 * Whether its holder has given it back. By hand it may be emptied without that one being told: only
 * a release says one second.
 */
export function isReleased({ spec }: Lease): boolean {
  return !spec?.holderIdentity && spec?.leaseDurationSeconds === RELEASED_SECONDS;
}

/**
 * Keeps the resourceVersion, which makes the write conditional; others' labels, annotations and
 * fields stay as they are.
 */
function draft(metadata: Partial<ObjectMeta>, spec: LeaseSpec): LeaseDraft {
  const { managedFields: _, ...kept } = metadata;
  return { apiVersion: `${LEASE.group}/${LEASE.version}`, kind: LEASE.kind, metadata: kept, spec };
}
