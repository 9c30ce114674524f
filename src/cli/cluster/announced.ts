import { type Announcement, announcedIn } from '../../config/announcement.ts';
import { LEASE, type Lease } from '../../kube/lease/lease-record.ts';
import { collectionPath } from '../../kube/resource.ts';
import { selects } from '../../kube/secrets/label-match.ts';
import { type Kubectl, KubectlError } from './kubectl.ts';

/** Where the documents install the operator. */
export const USUAL_NAMESPACE = 'pipewright';

/**
 * What the operators of the cluster say of themselves in their Leases: in all namespaces, or where
 * these may not be listed, in the usual one. Empty where none can be seen.
 */
export async function announcements(
  kubectl: Kubectl,
  namespace: string | undefined,
): Promise<readonly Announcement[]> {
  const leases = await leasesOf(kubectl, namespace);
  return leases.flatMap(({ metadata }) => announcedIn(metadata.annotations) ?? []);
}

async function leasesOf(
  kubectl: Kubectl,
  namespace: string | undefined,
): Promise<readonly Lease[]> {
  const of = async (where: string | undefined): Promise<readonly Lease[]> =>
    (await kubectl.get<{ readonly items: readonly Lease[] }>(collectionPath(LEASE, where))).items;
  const refused = (error: unknown): boolean =>
    error instanceof KubectlError && error.failure.reason === 'Forbidden';
  try {
    return await of(namespace);
  } catch (error) {
    if (!refused(error)) throw error;
  }
  if (namespace !== undefined) return [];
  try {
    return await of(USUAL_NAMESPACE);
  } catch (error) {
    if (!refused(error)) throw error;
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
