import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/config.ts';
import { controlPlane, waitFor } from '../controlplane/client.ts';
import type { Org } from './organization-scene.ts';

/** Every intent that ever stood in a status, also for moments only. */
export interface Intents {
  /** Those up to this version of an object; epoch milliseconds, in the order in which they were stored. */
  timesOf(object: Org): Promise<readonly number[]>;
  end(): Promise<void>;
}

/** Watches the Organizations of a namespace from now on. */
export async function recordIntents(namespace: string): Promise<Intents> {
  const client = createKubeClient(await loadCluster({ kubeconfig: controlPlane.adminKubeconfig }));
  const path = `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/organizations`;
  const { metadata } = await client.request<{ metadata: { resourceVersion: string } }>({ method: 'GET', path });
  const stop = new AbortController();
  const opened = Promise.withResolvers<void>();
  const times = new Map<string, Set<number>>();
  const versions = new Set<string>();
  const reading = (async () => {
    const query = { watch: '1', resourceVersion: metadata.resourceVersion, timeoutSeconds: '600' };
    const lines = client.stream({ path, query, signal: stop.signal, silenceMs: 600_000, onOpen: opened.resolve });
    for await (const line of lines) {
      const { object } = JSON.parse(line) as { object: Org };
      const time = object.status.pendingChange?.time;
      const { name, resourceVersion } = object.metadata;
      versions.add(resourceVersion);
      if (time !== undefined) times.set(name, new Set(times.get(name)).add(Date.parse(time)));
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  await Promise.race([opened.promise, reading]);
  return {
    async timesOf({ metadata: { name, resourceVersion } }) {
      await waitFor(() => versions.has(resourceVersion), { what: `version ${resourceVersion} of ${name} to be seen` });
      return [...(times.get(name) ?? [])];
    },
    async end() {
      stop.abort();
      await reading;
      await client.close();
    },
  };
}
