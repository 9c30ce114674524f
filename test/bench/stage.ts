import { fork } from 'node:child_process';
import { join } from 'node:path';
import { startControlPlane } from '../controlplane/controlplane.ts';
import { createAdmin, installOperator } from '../controlplane/install.ts';
import { inParallel } from '../support/parallel.ts';
import type { Arrival, Report } from './management-api.ts';
import { type Pset, psetPath } from './peer.ts';
import { keep } from './process.ts';

const KEY = { id: 'bench', secret: 'bench-secret' } as const;
export const AUTHORIZATION = `Basic ${Buffer.from(`${KEY.id}:${KEY.secret}`).toString('base64')}`;
export const ACCOUNT = { namespace: 'pipewright', name: 'pipewright' } as const;
const LATENCY_MS = 20;
const AT_ONCE = 50;
/** At once: the API server gives up on a request after a minute. */
const PAGE = 1000;

export type Stage = Awaited<ReturnType<typeof openStage>>;

/** Milliseconds, the same in all processes of this machine. */
export function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Where everything is measured: a real API server, and the simulated management API. */
export async function openStage(say: (line: string) => void) {
  const controlPlane = await startControlPlane({ say });
  const { url: apiUrl, arrivals, stop } = await startManagementApi();
  const admin = createAdmin(controlPlane, AT_ONCE);
  await installOperator(controlPlane);
  const { namespace, name } = ACCOUNT;
  const kubeconfig = await controlPlane.serviceAccountKubeconfig(namespace, name);
  const close = async (): Promise<void> => {
    await Promise.all([admin.close(), stop()]);
    await controlPlane.stop();
  };
  return { controlPlane, kubeconfig, apiUrl, arrivals, ask: admin.ask, close };
}

async function startManagementApi() {
  const script = join(import.meta.dirname, 'management-api.ts');
  const child = fork(script, [KEY.id, KEY.secret, String(LATENCY_MS)]);
  const { stop } = keep(child);
  const arrivals: Arrival[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    child.once('close', () => reject(new Error('the simulated management API ended at its start')));
    child.on('message', (report: Report) => {
      if ('url' in report) resolve(report.url);
      else arrivals.push(report);
    });
  });
  return { url, arrivals: arrivals as readonly Arrival[], stop };
}

/** Makes a namespace with a Secret and objects; pipes have the names of their objects. */
export async function fill(stage: Stage, namespace: string, objects: number): Promise<string[]> {
  await stage.ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await stage.ask('POST', `/api/v1/namespaces/${namespace}/secrets`, {
    metadata: { name: 'key' },
    stringData: { keyId: KEY.id, keySecret: KEY.secret },
  });
  const names = Array.from({ length: objects }, (_, index) => `${namespace}-${index}`);
  await inParallel(names, AT_ONCE, (name) =>
    stage.ask('POST', psetPath(namespace), {
      apiVersion: 'pipewright.dev/v1alpha1',
      kind: 'PipeSettings',
      metadata: { name },
      spec: {
        organizationId: '0b1d7c52-4f0e-4d0b-9a53-2f1c6e1d8a10',
        serviceId: '5c2f9b7e-86a1-4b6c-8f07-5d9c0a4b3e21',
        pipeId: name,
        credentialsSecretRef: { name: 'key' },
        settings: { streaming_max_insert_wait_ms: 5000, object_storage_concurrency: 8 },
      },
    }),
  );
  return names;
}

/** So that the next side finds the API server with as little to hold. */
export async function empty(stage: Stage, namespace: string): Promise<void> {
  const path = `${psetPath(namespace)}?limit=${PAGE}`;
  for (;;) {
    const { items } = await stage.ask<{ items: readonly Pset[] }>('DELETE', path);
    if (items.length < PAGE) return;
  }
}
