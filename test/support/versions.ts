import { loadCluster } from '../../src/kube/auth/load-cluster.ts';
import { createKubeClient } from '../../src/kube/client/client.ts';
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
  const client = createKubeClient(await loadCluster({ kubeconfig: controlPlane.adminKubeconfig }));
  const path = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/pipesettings`;
  const { metadata } = await client.request<{ metadata: { resourceVersion: string } }>({
    method: 'GET',
    path,
  });
  const stop = new AbortController();
  const seen = new Map<string, Pset[]>();
  const opened = Promise.withResolvers<void>();
  const reading = (async () => {
    const lines = client.stream({
      path,
      query: { watch: '1', resourceVersion: metadata.resourceVersion, timeoutSeconds: '600' },
      signal: stop.signal,
      silenceMs: 600_000,
      onOpen: opened.resolve,
    });
    for await (const line of lines) {
      const { object } = JSON.parse(line) as { object: Pset };
      seen.set(object.metadata.name, [...(seen.get(object.metadata.name) ?? []), object]);
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  await Promise.race([opened.promise, reading]);
  return {
    of: (name) => seen.get(name) ?? [],
    reasons: (name) => {
      const all = (seen.get(name) ?? []).map(({ status }) => status.conditions[0]?.reason ?? '');
      return all.filter((reason, index) => reason !== all[index - 1]);
    },
    async end() {
      stop.abort();
      await reading;
      await client.close();
    },
  };
}
