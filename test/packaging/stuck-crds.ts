import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlane } from '../controlplane/controlplane.ts';

interface Crds {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  }[];
}

/** How long a deleted CRD may stay; without objects it takes a second. */
const STUCK_MS = 15_000;

/**
 * Does what deletes CRDs. kube-apiserver 1.36 now and then leaves its own finalizer on a deleted
 * CRD for minutes, which is not what is tried by those who call this: after a while it is taken off
 * by hand.
 */
export async function freeingStuckCrds<T>(
  own: Pick<ControlPlane, 'kubectl'>,
  action: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const freeing = free(own, over.signal);
  try {
    return await action();
  } finally {
    over.abort();
    await freeing;
  }
}

async function free(own: Pick<ControlPlane, 'kubectl'>, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const { stdout } = await own.kubectl(['get', 'crd', '-o', 'json']);
    for (const { metadata } of (JSON.parse(stdout) as Crds).items) {
      const since = Date.parse(metadata.deletionTimestamp ?? '');
      if (!(Date.now() - since > STUCK_MS)) continue;
      // An object that waits for its operator is a reason to stay.
      const left = await own.kubectl(['get', metadata.name, '-A', '-o', 'name']);
      if (left.stdout.trim() !== '') continue;
      await own.kubectl([
        'patch',
        'crd',
        metadata.name,
        '--type=merge',
        '-p',
        '{"metadata":{"finalizers":null}}',
      ]);
    }
    await pause(500);
  }
}
