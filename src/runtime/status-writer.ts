import { isDeepStrictEqual } from 'node:util';
import type { KubeClient } from '../kube/client.ts';
import { isConflict, isNotFound } from '../kube/errors.ts';
import { apiVersionOf, type KubeObject, objectPath, type ResourceType } from '../kube/resource.ts';

/** Conflicts in a row before the result is kept for later: somebody else is writing this object all the time. */
const MOST_CONFLICTS = 5;

/**
 * `unchanged`: nothing was written, because it says what stands there. `overtaken`: written on top of an object that
 * had changed meanwhile, so the object wants another look. `gone`: there is no such object any more.
 */
export type Written = 'unchanged' | 'written' | 'overtaken' | 'gone';

/**
 * Replaces the whole status, with the object's resourceVersion as precondition. When the object has changed meanwhile,
 * the same status goes on top of the newer one if it is still the same object (uid) and `mayOverwrite` agrees.
 * `take` gets every newer version that the server returned. Throws KubeError where the status could not be written.
 */
export async function writeStatus(options: {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly status: object;
  readonly take: (object: KubeObject) => void;
  /** Asked before a status goes on top of one that somebody else has written since. */
  readonly mayOverwrite: (newer: KubeObject) => boolean;
}): Promise<Written> {
  const { client, type, status } = options;
  if (isDeepStrictEqual(options.object.status, status)) return 'unchanged';
  const { name, namespace, uid } = options.object.metadata;
  let target = options.object;
  for (let conflicts = 0; ; conflicts += 1) {
    try {
      options.take(await putStatus(client, type, target, status));
      return target === options.object ? 'written' : 'overtaken';
    } catch (error) {
      if (isNotFound(error)) return 'gone';
      if (!isConflict(error) || conflicts >= MOST_CONFLICTS) throw error;
    }
    const newer = await readObject(client, objectPath(type, namespace, name));
    if (newer?.metadata.uid !== uid) return 'gone';
    options.take(newer);
    if (!options.mayOverwrite(newer)) return 'overtaken';
    target = newer;
  }
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

async function readObject(client: KubeClient, path: string): Promise<KubeObject | undefined> {
  try {
    return await client.request<KubeObject>({ method: 'GET', path });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
