import { type KubeObject, objectPath, type ResourceType } from '../resource.ts';
import { getObject, type KubeClient } from './client.ts';
import { isConflict, isForbidden, isNotFound, KubeError } from './kube-error.ts';
import { missingRule } from './missing-rule.ts';

/**
 * Replaces the finalizers of an object if it still is the version that was read. Gives the new
 * version; the newest one, untouched, where somebody else has changed it; undefined where it is
 * gone. Throws KubeError, which for a missing right names the rule.
 */
export type WriteFinalizers = (
  type: ResourceType,
  object: KubeObject,
  finalizers: readonly string[],
) => Promise<KubeObject | undefined>;

export function createFinalizerWriter(client: KubeClient): WriteFinalizers {
  return async (type, object, finalizers) => {
    const { namespace, name, uid, resourceVersion } = object.metadata;
    const path = objectPath(type, namespace, name);
    try {
      return await client.request<KubeObject>({
        method: 'PATCH',
        path,
        body: {
          metadata: { resourceVersion, finalizers: finalizers.length > 0 ? finalizers : null },
        },
      });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (isForbidden(error)) throw forbidden(error, type, object);
      if (!isConflict(error)) throw error;
    }
    const newest = await getObject(client, path);
    return newest?.metadata.uid === uid ? newest : undefined;
  };
}

function forbidden(error: KubeError, type: ResourceType, { metadata }: KubeObject): KubeError {
  const { namespace } = metadata;
  const needs = ['get', 'list', 'watch', 'patch'];
  const body = missingRule({
    error,
    verb: 'patch',
    group: type.group,
    resource: type.plural,
    namespace,
    needs,
  });
  return new KubeError({
    call: 'a finalizer',
    status: error.status,
    reason: error.reason,
    body,
    cause: error,
  });
}
