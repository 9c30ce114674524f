import { type Announcement, announcedIn } from '../../config/announcement.ts';
import { dnsName } from '../../config/flag-values.ts';
import type { Lease } from '../../kube/lease/lease-record.ts';
import type { Deployment } from './deployment.ts';

/** One operator: what installed it, what it holds, or both. */
export interface Operator {
  readonly namespace: string;
  /** Absent: it runs outside of the cluster, or what runs it has no label by which to find it. */
  readonly deployment?: Deployment;
  /** Where its Lease is, or would be; absent where that is not known or it needs none. */
  readonly leaseAt?: { readonly namespace: string; readonly name: string };
  /** As first seen. */
  readonly lease?: Lease;
  /** What it works on. */
  readonly works?: Works;
  /** What it said in its Lease when it last led. */
  readonly announced?: Announcement;
  /** Why no command is given that is for it; absent: it may be trusted. */
  readonly doubt?: string;
}

export interface Works {
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly selector: string;
  readonly secretSelector: string;
}

/** In the name of a Pod of a Deployment: what its ReplicaSet and it itself have been given. */
const POD_SUFFIX = /-[a-z0-9]{1,10}-[a-z0-9]{5}$/;

/** The Deployment whose Pod holds a Lease, by the name that the holder has. */
export function deploymentNameIn(lease: Lease): string | undefined {
  const [pod = ''] = (lease.spec?.holderIdentity ?? '').split('_');
  return POD_SUFFIX.test(pod) && 'value' in dnsName(pod) ? pod.replace(POD_SUFFIX, '') : undefined;
}

/**
 * Which Lease belongs to which Deployment: by the flags of the Deployment, and where those cannot
 * be read, by the holder. Any other Lease is an operator of its own, but for what was left behind:
 * one that nobody holds, or whose holder's Deployment has another by now. With new flags comes a
 * new Lease, and mostly no right any more to release the old one.
 */
export function paired(
  deployments: readonly Deployment[],
  leases: readonly Lease[],
): readonly Operator[] {
  const taken = new Set<Lease>();
  const installed = deployments.map((deployment): Operator => {
    const { flags, namespace } = deployment;
    if (flags && !flags.elects) return { namespace, deployment, works: flags };
    const lease = leases.find((one) => !taken.has(one) && belongs(one, deployment));
    if (lease) taken.add(lease);
    const leaseAt = flags
      ? { namespace: flags.leaseNamespace, name: flags.leaseName }
      : lease && placeOf(lease);
    const announced = announcedIn(lease?.metadata.annotations);
    const works = flags ?? announced;
    return {
      namespace,
      deployment,
      ...(leaseAt && { leaseAt }),
      ...(lease && { lease }),
      ...(announced && { announced }),
      ...(works && { works }),
    };
  });
  const others = leases.flatMap((lease): Operator[] => {
    const announced = announcedIn(lease.metadata.annotations);
    if (taken.has(lease) || !announced || !lease.spec?.holderIdentity) return [];
    const leaseAt = placeOf(lease);
    const holder = deploymentNameIn(lease);
    const isLeft = deployments.some(
      ({ name, namespace, flags }) => flags && name === holder && namespace === leaseAt.namespace,
    );
    if (isLeft) return [];
    return [{ namespace: leaseAt.namespace, leaseAt, lease, announced, works: announced }];
  });
  return [...installed, ...others];
}

/**
 * What is known of an operator that is seen to lead: its own word in the Lease goes before what the
 * Deployment tells it, which may be yet to come. A Lease that was seen before may have been another
 * one's.
 */
export function leadingWith(operator: Operator, lease: Lease): Operator {
  const { announced: _, works: told, ...rest } = operator;
  const announced = announcedIn(lease.metadata.annotations);
  const works = announced ?? told;
  return { ...rest, lease, ...(announced && { announced }), ...(works && { works }) };
}

function belongs(lease: Lease, { flags, namespace, name }: Deployment): boolean {
  const at = placeOf(lease);
  if (flags) return at.namespace === flags.leaseNamespace && at.name === flags.leaseName;
  return at.namespace === namespace && deploymentNameIn(lease) === name;
}

function placeOf({ metadata }: Lease): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace, name: metadata.name };
}
