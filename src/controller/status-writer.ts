import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '../kube/client/client.ts';
import { getObject } from '../kube/client/get-object.ts';
import { isConflict, isNotFound, KubeError } from '../kube/client/kube-error.ts';
import { apiVersionOf, type KubeObject, objectPath, type ResourceType } from '../kube/resource.ts';

/**
 * Conflicts in a row before the result is kept for later: somebody else is writing this object all
 * the time.
 */
const MOST_CONFLICTS = 5;

/**
 * `unchanged`: nothing had to be written, because it says what stands there. `superseded`: nothing
 * was written, because what somebody else has recorded meanwhile counts more. `gone`: there is no
 * such object any more.
 */
export type Written = 'unchanged' | 'written' | 'superseded' | 'gone';

export interface StatusWrite {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly object: KubeObject;
  /**
   * A write on top of this very version has failed. So what stands there is read first: a restored
   * backup may give a version twice.
   */
  readonly isTried: boolean;
  /**
   * What to write on top of this version; undefined: nothing, because what stands there counts
   * more.
   */
  readonly statusFor: (object: KubeObject) => object | undefined;
  /** No answer came to a write: it may have been carried out all the same. */
  readonly unheard: () => void;
  /** Gets the version that our own write made. `known`: what was known when it was sent. */
  readonly wrote: (object: KubeObject, known: KubeObject | undefined) => void;
  /** What is known of the object now. */
  readonly known: () => KubeObject | undefined;
  /**
   * Gets the version that stands there in place of the one for which the write failed, maybe
   * another object's: nobody may have looked at it yet. `known`: what was known when it was asked
   * for.
   */
  readonly met: (found: KubeObject, known: KubeObject | undefined) => void;
}

/**
 * Replaces the whole status, with the object's resourceVersion and uid as precondition. When the
 * object has changed meanwhile, the status for the newer version goes on top of that, if it is
 * still the same object (uid). Throws KubeError where the status could not be written.
 */
export async function writeStatus(write: StatusWrite): Promise<Written> {
  const { client, type, statusFor } = write;
  let target = write.isTried ? await read(write) : write.object;
  let status = target && statusFor(target);
  for (
    let conflicts = 0;
    target && status && !isDeepStrictEqual(target.status, status);
    conflicts += 1
  ) {
    const known = write.known();
    try {
      write.wrote(await putStatus(client, type, target, status), known);
      return 'written';
    } catch (error) {
      if (error instanceof KubeError && error.status === 0) write.unheard();
      if (!isNotFound(error) && (!isConflict(error) || conflicts >= MOST_CONFLICTS)) throw error;
      target = await read(write);
      // The object is there: what was not found is its status, as with a CRD that declares no such
      // subresource.
      if (target && isNotFound(error)) throw error;
      status = target && statusFor(target);
    }
  }
  if (!target) return 'gone';
  return status ? 'unchanged' : 'superseded';
}

/** What stands there now, if it is the same object still. */
async function read({
  client,
  type,
  object,
  known,
  met,
}: StatusWrite): Promise<KubeObject | undefined> {
  const { name, namespace, uid } = object.metadata;
  const before = known();
  const found = await getObject(client, objectPath(type, namespace, name));
  if (found) met(found, before);
  return found?.metadata.uid === uid ? found : undefined;
}

function putStatus(
  client: KubeClient,
  type: ResourceType,
  object: KubeObject,
  status: object,
): Promise<KubeObject> {
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
