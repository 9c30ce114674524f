import { type Clock, systemClock } from '../../clock.ts';
import type { Cluster } from '../client/cluster.ts';
import { inCluster } from './in-cluster.ts';

/**
 * The cluster to work on: the one a kubeconfig or context names where given, else the one this
 * process runs in, else that of the usual kubeconfig. Makes no call. Throws Error with what to do
 * where none of them is usable.
 */
export async function loadCluster(options: {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly clock?: Clock;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Where the ServiceAccount is mounted, if not in the usual place. */
  readonly serviceAccountFolder?: string;
}): Promise<Cluster> {
  const {
    kubeconfig,
    context,
    clock = systemClock,
    environment = process.env,
    serviceAccountFolder,
  } = options;
  const here =
    kubeconfig === undefined && context === undefined
      ? await inCluster({
          clock,
          environment,
          ...(serviceAccountFolder ? { folder: serviceAccountFolder } : {}),
        })
      : undefined;
  if (here) return here;
  // Loaded only when needed: in a cluster it would cost memory for nothing.
  const { fromKubeconfig } = await import('./kubeconfig.ts');
  return fromKubeconfig({ clock, environment, file: kubeconfig, context });
}
