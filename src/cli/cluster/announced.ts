import { normaliseBaseUrl, parseBaseUrl } from '../../api/http/base-url.ts';
import type { Clock } from '../../clock.ts';
import { type Announcement, announcedIn } from '../../config/announcement.ts';
import { LEASE, type Lease } from '../../kube/lease/lease-record.ts';
import { collectionPath } from '../../kube/resource.ts';
import { selects } from '../../kube/secrets/label-match.ts';
import { isForbidden, type Kubectl } from './kubectl.ts';

/** Where the documents install the operator. */
export const USUAL_NAMESPACE = 'pipewright';

/** What an operator says of itself, and where. */
export interface Announced extends Announcement {
  readonly namespace: string;
  readonly lease: string;
}

/** A Lease that was not renewed for so long is not held; clocks differ by less. */
const LEFT_BEHIND_MS = 10 * 60_000;

/**
 * What the operators of the cluster say of themselves in their Leases: in all namespaces, or where
 * these may not be listed, in the usual one. What an operator has left behind counts only where
 * none leads. Empty where none can be seen.
 */
export async function announcements(
  { kubectl, clock }: { readonly kubectl: Kubectl; readonly clock: Clock },
  namespace: string | undefined,
): Promise<readonly Announced[]> {
  const leases = await leasesOf(kubectl, namespace);
  const all = leases.flatMap((lease) => {
    const said = announcedIn(lease.metadata.annotations);
    const address = said && parseBaseUrl(said.apiUrl, { allowHttp: true });
    if (!said || !address || 'problem' in address) return [];
    const { namespace: where, name } = lease.metadata;
    const announced = { ...said, apiUrl: normaliseBaseUrl(address.url), namespace: where };
    return [{ announced: { ...announced, lease: name }, isHeld: isHeld(lease, clock.now()) }];
  });
  const held = all.filter((one) => one.isHeld);
  return (held.length > 0 ? held : all).map(({ announced }) => announced);
}

function isHeld({ spec }: Lease, now: number): boolean {
  const renewed = Date.parse(spec?.renewTime ?? '');
  return Boolean(spec?.holderIdentity) && now - renewed < LEFT_BEHIND_MS;
}

async function leasesOf(
  kubectl: Kubectl,
  namespace: string | undefined,
): Promise<readonly Lease[]> {
  const of = async (where: string | undefined): Promise<readonly Lease[]> =>
    (await kubectl.get<{ readonly items: readonly Lease[] }>(collectionPath(LEASE, where))).items;
  try {
    return await of(namespace);
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
  if (namespace !== undefined) return [];
  try {
    return await of(USUAL_NAMESPACE);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return [];
  }
}

/** Whether this operator works on objects of this namespace with these labels. */
export function worksOn(
  { namespaces, selector }: Announcement,
  {
    namespace,
    labels = {},
  }: { readonly namespace: string; readonly labels?: Readonly<Record<string, string>> | undefined },
): boolean {
  const isWatched = namespaces.length === 0 || namespaces.includes(namespace);
  return isWatched && (selector === '' || selects(selector, labels));
}
