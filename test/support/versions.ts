import { Watch } from '@kubernetes/client-node';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/kubeconfig.ts';
import { controlPlane } from '../controlplane/client.ts';
import type { Pset } from './scene-objects.ts';

/** Every version of every PipeSettings of a namespace, in the order in which they were stored. */
export interface Versions {
  of(name: string): readonly Pset[];
  /** The reasons of `Ready` an object went through, without repeats. */
  reasons(name: string): readonly string[];
  end(): Promise<void>;
}

/**
 * Watches from now on: what passes too quickly for reading it again and again is seen all the same.
 */
export async function recordVersions(namespace: string): Promise<Versions> {
  const cluster = await loadCluster({ kubeconfig: controlPlane.adminKubeconfig });
  const path = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/pipesettings`;
  const { metadata } = await createKubeClient(cluster).request<{
    metadata: { resourceVersion: string };
  }>({ method: 'GET', path });
  const { resourceVersion } = metadata;
  const seen = new Map<string, Pset[]>();
  const ended = Promise.withResolvers<void>();
  let isOver = false;
  const onEvent = (_type: string, object: Pset): void => {
    const { name } = object.metadata;
    seen.set(name, [...(seen.get(name) ?? []), object]);
  };
  const onEnd = (error: unknown): void => {
    if (error && !isOver) ended.reject(error);
    else ended.resolve();
  };
  const query = { resourceVersion, timeoutSeconds: 600 };
  const watch = await new Watch(cluster).watch(path, query, onEvent, onEnd);
  return {
    of: (name) => seen.get(name) ?? [],
    reasons: (name) => {
      const all = (seen.get(name) ?? []).map(({ status }) => status.conditions[0]?.reason ?? '');
      return all.filter((reason, index) => reason !== all[index - 1]);
    },
    async end() {
      isOver = true;
      watch.abort();
      await ended.promise;
      await cluster.close();
    },
  };
}
