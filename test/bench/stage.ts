import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { Pool } from 'undici';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { installOperator } from '../controlplane/install.ts';
import { startSimulator } from '../simulator/simulator.ts';
import { psetPath } from './peer.ts';

const KEY = { id: 'bench', secret: 'bench-secret' } as const;
export const AUTHORIZATION = `Basic ${Buffer.from(`${KEY.id}:${KEY.secret}`).toString('base64')}`;
const LATENCY_MS = 20;
const AT_ONCE = 50;

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
export type Stage = Awaited<ReturnType<typeof openStage>>;

/** A request to the management API, at a time on `performance.now()`. */
interface Arrival {
  readonly path: string;
  readonly at: number;
}

/**
 * Where everything is measured: a real API server, and in this process the simulated management
 * API, whose own log counts milliseconds.
 */
export async function openStage(say: (line: string) => void) {
  const controlPlane = await startControlPlane({ say });
  const keys = { [KEY.id]: KEY.secret };
  const simulator = await startSimulator({ keys, latencyMs: LATENCY_MS, keepLog: false });
  const arrivals: Arrival[] = [];
  subscribe('http.server.request.start', (message) => {
    const { url = '' } = (message as { request: IncomingMessage }).request;
    arrivals.push({ path: url, at: performance.now() });
  });
  const { ask, close: closePool } = createAdmin(controlPlane);
  const kubeconfig = await installOperator(controlPlane);
  // All sides call as the operator's account. The Go operator watches Secrets, which ours may not.
  const role = ['--clusterrole', 'cluster-admin', '--serviceaccount', 'pipewright:pipewright'];
  await controlPlane.kubectl(['create', 'clusterrolebinding', 'go-peer', ...role]);
  const close = async (): Promise<void> => {
    await Promise.all([closePool(), simulator.stop()]);
    await controlPlane.stop();
  };
  return { controlPlane, kubeconfig, apiUrl: simulator.url, arrivals, ask, close };
}

/** Requests as the administrator, many at once; throws for anything but success. */
function createAdmin({ server, ca, admin }: ControlPlane) {
  const connect = { ca, cert: admin.certPem ?? '', key: admin.keyPem ?? '' };
  const pool = new Pool(server, { connections: AT_ONCE, connect });
  return {
    async ask<T>(method: Method, path: string, body?: unknown): Promise<T> {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const text = body === undefined ? null : JSON.stringify(body);
      const reply = await pool.request({
        method,
        path,
        headers: { 'content-type': type },
        body: text,
      });
      const answer = await reply.body.text();
      if (reply.statusCode >= 300)
        throw new Error(`${method} ${path}: HTTP ${reply.statusCode}: ${answer}`);
      return JSON.parse(answer) as T;
    },
    close: () => pool.destroy(),
  };
}

/** Makes a namespace with a Secret and objects; pipes have the names of their objects. */
export async function fill(stage: Stage, namespace: string, objects: number): Promise<string[]> {
  await stage.ask('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  await stage.ask('POST', `/api/v1/namespaces/${namespace}/secrets`, {
    metadata: { name: 'key' },
    stringData: { keyId: KEY.id, keySecret: KEY.secret },
  });
  const names = Array.from({ length: objects }, (_, index) => `${namespace}-${index}`);
  const create = (name: string) =>
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
    });
  await Promise.all(names.map(create));
  return names;
}

/** So that the next side finds the API server with as little to hold. */
export async function empty(stage: Stage, names: readonly string[], namespace: string) {
  await Promise.all(names.map((name) => stage.ask('DELETE', psetPath(namespace, name))));
}
