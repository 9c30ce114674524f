import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { NODE_FLAGS } from '../dockerfile.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { type Arrivals, watchArrivals } from './arrivals.ts';
import { type Program, startProgram, startScript } from './processes.ts';

export const KEY = { id: 'bench', secret: 'bench-secret' } as const;
const ACCOUNT = { namespace: 'pipewright', name: 'pipewright' } as const;
const fileOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/**
 * Where everything is measured: a control plane with the operator's CRD and rights, and the
 * simulated API, which runs in this process.
 */
export interface Stage {
  readonly controlPlane: ControlPlane;
  readonly simulator: Simulator;
  readonly arrivals: Arrivals;
  /** One request as the administrator; throws for anything but success. */
  ask<T>(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    path: string,
    body?: unknown,
  ): Promise<T>;
  /** The bundle, with the rights that the manifests give it. */
  startOperator(options: {
    readonly namespace: string;
    readonly flags?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  }): Program;
  /**
   * A program of this folder with the same rights; it finds what it needs in its environment, see
   * `peer.ts`.
   */
  startPeer(script: string, options: Readonly<Record<string, unknown>>): Promise<Program>;
  /** `go-peer`, likewise; built if need be. */
  startGoPeer(options: Readonly<Record<string, unknown>>): Promise<Program>;
  close(): Promise<void>;
}

export async function openStage(options: {
  readonly latencyMs: number;
  readonly say: (line: string) => void;
}): Promise<Stage> {
  const arrivals = watchArrivals();
  const controlPlane = await startControlPlane({ say: options.say, stopOnSignal: false });
  const simulator = await startSimulator({
    anyPipe: true,
    latencyMs: options.latencyMs,
    keys: { [KEY.id]: KEY.secret },
    keepLog: false,
  });
  const { server, ca, admin } = controlPlane;
  const pool = new Pool(server, {
    connections: 50,
    connect: { ca, cert: admin.certPem ?? '', key: admin.keyPem ?? '' },
  });
  for (const file of [
    'crds/',
    'deploy/kustomize/base/namespace.yaml',
    'deploy/kustomize/base/rbac.yaml',
  ]) {
    await kubectl(controlPlane, ['apply', '--server-side', '-f', fileOf(file)]);
  }
  await kubectl(controlPlane, [
    'wait',
    '--for=condition=Established',
    '--timeout=30s',
    'crd',
    '--all',
  ]);
  const kubeconfig = await controlPlane.serviceAccountKubeconfig(ACCOUNT.namespace, ACCOUNT.name);
  const peerEnv = async (more: Readonly<Record<string, unknown>>) => {
    const token = await controlPlane.serviceAccountToken(ACCOUNT);
    const authorization = `Basic ${Buffer.from(`${KEY.id}:${KEY.secret}`).toString('base64')}`;
    const given = { server, ca, token, apiUrl: simulator.url, authorization, ...more };
    return { PEER_OPTIONS: JSON.stringify(given) };
  };

  return {
    controlPlane,
    simulator,
    arrivals,
    async ask<T>(
      method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
      path: string,
      body?: unknown,
    ) {
      const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
      const reply = await pool.request({
        method,
        path,
        headers: { 'content-type': type, 'user-agent': 'bench' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await reply.body.text();
      if (reply.statusCode >= 300)
        throw new Error(`${method} ${path}: HTTP ${reply.statusCode}: ${text}`);
      return JSON.parse(text) as T;
    },
    startOperator: ({ namespace, flags = [], env = {} }) =>
      startProgram(process.execPath, {
        args: [
          ...NODE_FLAGS,
          fileOf('dist/pipewright.js'),
          '--api-url',
          simulator.url,
          '--kubeconfig',
          kubeconfig,
          '--namespaces',
          namespace,
        ].concat(['--listen', '127.0.0.1:0', '--api-rate', '0'], flags),
        env,
      }),
    startPeer: async (script, more) =>
      startScript(join(import.meta.dirname, script), { env: await peerEnv(more) }),
    startGoPeer: async (more) => {
      const program = await findProgram('go-peer', { say: options.say });
      return startProgram(program, { env: await peerEnv(more) });
    },
    async close() {
      arrivals.close();
      await Promise.all([pool.destroy(), simulator.stop()]);
      await controlPlane.stop();
    },
  };
}

async function kubectl(controlPlane: ControlPlane, args: readonly string[]): Promise<void> {
  const { code, stderr } = await controlPlane.kubectl(args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')} ended with ${code}: ${stderr}`);
}
