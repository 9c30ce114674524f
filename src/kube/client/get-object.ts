import type { KubeObject } from '../resource.ts';
import type { KubeClient } from './client.ts';
import { isNotFound } from './kube-error.ts';

/**
 * The object at this path as the API server has it now; undefined where there is none. Throws
 * KubeError.
 */
export async function getObject(client: KubeClient, path: string): Promise<KubeObject | undefined> {
  try {
    return await client.request<KubeObject>({ method: 'GET', path });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
