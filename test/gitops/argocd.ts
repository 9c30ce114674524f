import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { type Say, step } from '../controlplane/progress.ts';
import { parseManifests } from '../packaging/manifests.ts';
import { succeed } from '../packaging/run.ts';
import { freePort, startService } from './service.ts';

export const ARGOCD_NAMESPACE = 'argocd';
const MODULE = 'github.com/argoproj/argo-cd/v3';
const GO_FOLDER = join(import.meta.dirname, '../controlplane/go/argocd');
const CRDS = ['application-crd.yaml', 'appproject-crd.yaml'];
const PART_OF = { 'app.kubernetes.io/part-of': 'argocd' };

export interface ArgoCdOptions {
  readonly controlPlane: ControlPlane;
  /** For its files; the caller removes it. */
  readonly folder: string;
  /** What argocd-cm holds. */
  readonly settings: Readonly<Record<string, string>>;
  readonly say: Say;
  readonly signal: AbortSignal;
}

/**
 * Starts what of Argo CD syncs: repo-server, application-controller and a Redis, on loopback and on
 * this control plane.
 */
export async function startArgoCd(options: ArgoCdOptions): Promise<{ stop(): Promise<void> }> {
  const { controlPlane, folder, settings, say, signal } = options;
  const program = await findProgram('argocd', { say });
  const redis = await findProgram('redis', { say });
  const kustomize = await findProgram('kustomize', { say });
  const helm = await findProgram('helm', { say });
  await mkdir(folder, { recursive: true });
  await step(say, 'Installing the CRDs and the settings of Argo CD', async () => {
    for (const file of await crdFiles(program))
      await apply(controlPlane, ['--server-side', '-f', file]);
    await apply(controlPlane, ['-f', '-'], JSON.stringify(await settingsList(settings)));
  });
  await using stack = new AsyncDisposableStack();
  const store = await startService({
    program: redis,
    logFile: join(folder, 'redis.log'),
    ready: (said) => said.includes('\n'),
    signal,
  });
  stack.defer(store.stop);
  const address = store.output().trim();
  const [port, ...metrics] = [await freePort(), await freePort(), await freePort()];
  const path = await programFolder(folder, { kustomize, helm });
  const env = {
    PATH: `${path}:${process.env['PATH'] ?? ''}`,
    TMPDIR: folder,
    HOME: folder,
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_TLS_DATA_PATH: folder,
    ARGOCD_SSH_DATA_PATH: folder,
    KUBECONFIG: controlPlane.adminKubeconfig,
  };
  const start = async (part: string, args: readonly string[], ready: string) => {
    const logFile = join(folder, `${part}.log`);
    const said = (output: string): boolean => output.includes(ready);
    const service = await step(say, `Starting argocd-${part}`, () =>
      startService({
        program,
        args,
        env: { ...env, ARGOCD_BINARY_NAME: `argocd-${part}` },
        logFile,
        ready: said,
        signal,
      }),
    );
    stack.defer(service.stop);
  };
  const common = ['--redis', address, '--loglevel', 'info'];
  const repoServer = [
    '--disable-tls',
    '--client-ca-path',
    '',
    '--address',
    '127.0.0.1',
    '--port',
    `${port}`,
  ];
  await start(
    'repo-server',
    [...common, ...repoServer, '--metrics-address', '127.0.0.1', '--metrics-port', `${metrics[0]}`],
    'is listening on',
  );
  // Where the controller's metrics listen cannot be chosen: on all addresses, at a port that is
  // free.
  const controller = [
    '--repo-server',
    `127.0.0.1:${port}`,
    '--repo-server-plaintext',
    '--namespace',
    ARGOCD_NAMESPACE,
  ];
  const often = [
    '--kubeconfig',
    controlPlane.adminKubeconfig,
    '--app-resync',
    '10',
    '--app-resync-jitter',
    '0',
    '--persist-resource-health',
  ];
  await start(
    'application-controller',
    [...common, ...controller, ...often, '--metrics-port', `${metrics[1]}`],
    'Application Controller',
  );
  const all = stack.move();
  return { stop: () => all.disposeAsync() };
}

/**
 * The CRDs come with the source of Argo CD; they are kept beside the program that was built from
 * it.
 */
async function crdFiles(program: string): Promise<string[]> {
  const folder = join(dirname(program), 'crds');
  const kept = CRDS.map((name) => join(folder, name));
  if (kept.every((path) => existsSync(path))) return kept;
  const version = /argocd-(v\d+\.\d+\.\d+)/.exec(program)?.[1];
  const go = ['-C', GO_FOLDER, 'mod', 'download', '-json', `${MODULE}@${version}`];
  const { Dir } = JSON.parse(await succeed('go', go, { env: { GOWORK: 'off' } })) as {
    readonly Dir: string;
  };
  for (const name of CRDS) {
    await cp(join(Dir, 'manifests/crds', name), join(folder, name));
    await chmod(join(folder, name), 0o644);
  }
  return kept;
}

/**
 * What Argo CD wants to find on the PATH: programs by their names, and a script that is of no use
 * without signatures.
 */
async function programFolder(
  folder: string,
  programs: Readonly<Record<string, string>>,
): Promise<string> {
  const path = join(folder, 'bin');
  await mkdir(path);
  for (const [name, program] of Object.entries(programs)) await symlink(program, join(path, name));
  await writeFile(join(path, 'git-verify-wrapper.sh'), '#!/bin/sh\n', { mode: 0o755 });
  return path;
}

async function settingsList(settings: Readonly<Record<string, string>>): Promise<object> {
  const metadata = (name: string) => ({ name, namespace: ARGOCD_NAMESPACE, labels: PART_OF });
  const map = (name: string, data: object = {}) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: metadata(name),
    data,
  });
  const others = [
    'argocd-rbac-cm',
    'argocd-tls-certs-cm',
    'argocd-ssh-known-hosts-cm',
    'argocd-gpg-keys-cm',
  ];
  const project = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default', namespace: ARGOCD_NAMESPACE },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ namespace: '*', server: '*' }],
      clusterResourceWhitelist: [{ group: '*', kind: '*' }],
    },
  };
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: metadata('argocd-secret') };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ARGOCD_NAMESPACE } };
  const items = [
    namespace,
    map('argocd-cm', settings),
    ...others.map((name) => map(name)),
    secret,
    project,
  ];
  return { apiVersion: 'v1', kind: 'List', items };
}

async function apply(
  { kubectl }: ControlPlane,
  args: readonly string[],
  stdin?: string,
): Promise<void> {
  const { code, stderr } = await kubectl(['apply', ...args], stdin);
  if (code !== 0) throw new Error(`kubectl apply ${args.join(' ')}: ${stderr}`);
}

/** The health checks of deploy/argocd, as a user patches them into argocd-cm. */
export async function shippedSettings(
  kubectlProgram: string,
): Promise<Readonly<Record<string, string>>> {
  const patches = ['deploy/argocd/argocd-cm.yaml', 'deploy/argocd/app-of-apps/argocd-cm.yaml'];
  const texts = await Promise.all(patches.map((path) => readFile(path, 'utf8')));
  const maps = texts.map(
    (text) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: argocd-cm }\n${text}`,
  );
  const parsed = await parseManifests(maps.join('---\n'), kubectlProgram);
  return Object.assign({}, ...parsed.map(({ data }) => data)) as Readonly<Record<string, string>>;
}
