import { getObject, type KubeClient } from '../kube/client.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { type KubeObject, objectPath, type ResourceType } from '../kube/resource.ts';

/**
 * Replaces the finalizers of an object if it still is the version that was read. Gives the new
 * version; the newest one, untouched, where somebody else has changed it; undefined where it is
 * gone. Throws KubeError.
 */
export async function writeFinalizers(
  client: KubeClient,
  type: ResourceType,
  { metadata: { namespace, name, uid, resourceVersion } }: KubeObject,
  finalizers: readonly string[],
): Promise<KubeObject | undefined> {
  const path = objectPath(type, namespace, name);
  // An empty list takes the field away.
  const metadata = { resourceVersion, finalizers: finalizers.length > 0 ? finalizers : null };
  try {
    return await client.request<KubeObject>({ method: 'PATCH', path, body: { metadata } });
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
    const newest = await getObject(client, path);
    return newest?.metadata.uid === uid ? newest : undefined;
  }
}
