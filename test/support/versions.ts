import { systemClock } from '../../src/clock.ts';
import { createKubeClient } from '../../src/kube/client.ts';
import { follow } from '../../src/kube/follow.ts';
import { loadCluster } from '../../src/kube/kubeconfig.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
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
  const cluster = await loadCluster({ kubeconfig: controlPlane.adminKubeconfig });
  const client = createKubeClient(cluster);
  const stop = new AbortController();
  const seen = new Map<string, Pset[]>();
  const listed = Promise.withResolvers<void>();
  const following = follow<KubeObject>({
    cluster,
    client,
    path: `/apis/pipewright.dev/v1alpha1/namespaces/${namespace}/pipesettings`,
    labelSelector: undefined,
    clock: systemClock,
    log: recordingLog().log,
    signal: stop.signal,
    sink: {
      trim: (object) => object,
      beginList: () => () => {},
      apply: (_, object) => {
        const { name } = object.metadata;
        seen.set(name, [...(seen.get(name) ?? []), object as Pset]);
      },
    },
    onListed: listed.resolve,
    onFailure: ({ message }) => message,
  });
  await listed.promise;
  return {
    of: (name) => seen.get(name) ?? [],
    reasons: (name) => {
      const all = (seen.get(name) ?? []).map(({ status }) => status.conditions[0]?.reason ?? '');
      return all.filter((reason, index) => reason !== all[index - 1]);
    },
    async end() {
      stop.abort();
      await following;
      await client.close();
    },
  };
}
