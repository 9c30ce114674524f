import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '../kube/client.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { getObject } from '../kube/get-object.ts';
import { apiVersionOf, type KubeObject, objectPath, type ResourceType } from '../kube/resource.ts';

/** Conflicts in a row before the result is kept for later: somebody else is writing this object all the time. */
const MOST_CONFLICTS = 5;

/**
 * `unchanged`: nothing had to be written, because it says what stands there. `superseded`: nothing was written, because
 * what somebody else has recorded meanwhile counts more. `gone`: there is no such object any more.
 */
export type Written = 'unchanged' | 'written' | 'superseded' | 'gone';

export interface StatusWrite {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly object: KubeObject;
  /** What to write on top of this version; undefined: nothing, because what stands there counts more. */
  readonly statusFor: (object: KubeObject) => object | undefined;
  /** Gets the version that our own write made. */
  readonly wrote: (object: KubeObject) => void;
  /** What is known of the object now. */
  readonly known: () => KubeObject | undefined;
  /**
   * Gets the version that stands there in place of the one for which the write was refused, maybe another object's: nobody may have
   * looked at it yet. `known`: what was known when it was asked for.
   */
  readonly met: (found: KubeObject, known: KubeObject | undefined) => void;
}

/**
 * Replaces the whole status, with the object's resourceVersion and uid as precondition. When the object has changed
 * meanwhile, the status for the newer version goes on top of that, if it is still the same object (uid).
 * Throws KubeError where the status could not be written.
 */
export async function writeStatus(write: StatusWrite): Promise<Written> {
  const { client, type, statusFor } = write;
  const { name, namespace, uid } = write.object.metadata;
  let target = write.object;
  let status = statusFor(target);
  for (let conflicts = 0; status && !isDeepStrictEqual(target.status, status); conflicts += 1) {
    try {
      write.wrote(await putStatus(client, type, target, status));
      return 'written';
    } catch (error) {
      if (!isNotFound(error) && (!isConflict(error) || conflicts >= MOST_CONFLICTS)) throw error;
      const known = write.known();
      const newer = await getObject(client, objectPath(type, namespace, name));
      if (newer) write.met(newer, known);
      if (newer?.metadata.uid !== uid) return 'gone';
      // The object is there: what was not found is its status, as with a CRD that declares no such subresource.
      if (isNotFound(error)) throw error;
      target = newer;
      status = statusFor(newer);
    }
  }
  return status ? 'unchanged' : 'superseded';
}

function putStatus(client: KubeClient, type: ResourceType, object: KubeObject, status: object): Promise<KubeObject> {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  return client.request<KubeObject>({
    method: 'PUT',
    path: objectPath(type, namespace, name, 'status'),
    body: {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: { name, namespace, uid, resourceVersion },
      status,
    },
  });
}
