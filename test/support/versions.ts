import { systemClock } from '../../src/clock.ts';
import { pipeSettingsType as type } from '../../src/kinds/pipe-settings/resource.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { loadCluster } from '../../src/kube/cluster.ts';
import { startInformers } from '../../src/kube/follow.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { Store } from '../../src/kube/store.ts';
import { controlPlane } from '../controlplane/client.ts';
import { recordingLog } from './recording-log.ts';
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
  const cluster = await loadCluster(controlPlane.adminKubeconfig);
  const client = createKubeClient(cluster);
  const stop = new AbortController();
  const seen = new Map<string, Pset[]>();
  const store = new Store<KubeObject>({
    trim: (object) => object,
    indexes: {},
    onChange: (_, now, __, origin) => {
      if (!now || origin === 'list') return;
      const { name } = now.metadata;
      seen.set(name, [...(seen.get(name) ?? []), now as Pset]);
    },
  });
  const { synced } = startInformers([{ type, store }], [namespace], {
    cluster,
    client,
    labelSelector: undefined,
    clock: systemClock,
    log: recordingLog().log,
    signal: stop.signal,
  });
  await synced;
  return {
    of: (name) => seen.get(name) ?? [],
    reasons: (name) => {
      const all = (seen.get(name) ?? []).map(({ status }) => status.conditions[0]?.reason ?? '');
      return all.filter((reason, index) => reason !== all[index - 1]);
    },
    async end() {
      stop.abort();
      await client.close();
    },
  };
}
