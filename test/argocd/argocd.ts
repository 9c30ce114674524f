import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { succeed } from '../controlplane/run.ts';

const CONFIG_MAPS = ['cm', 'rbac-cm', 'tls-certs-cm', 'ssh-known-hosts-cm', 'gpg-keys-cm'];
const REPO_SERVER =
  '--address 127.0.0.1 --port 0 --metrics-address 127.0.0.1 --disable-tls --client-ca-path=';
/** Gives each object's health. What one look has missed the next sees: by default minutes later. */
const CONTROLLER =
  '--namespace argocd --repo-server-plaintext --persist-resource-health --app-resync 10';
const SERVED_WITHIN_MS = 30_000;
/** The story is over long before. */
const ENDS_WITHIN_MS = 600_000;

/** Starts Argo CD on loopback: repo-server, application-controller and a Redis. */
export async function startArgoCd(
  controlPlane: ControlPlane,
  folder: string,
  stack: AsyncDisposableStack,
): Promise<void> {
  await install(controlPlane);
  await mkdir(folder);
  // Argo CD wants it on the PATH, and it is of no use without signatures.
  await writeFile(join(folder, 'git-verify-wrapper.sh'), '#!/bin/sh\n', { mode: 0o755 });
  const env = {
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    TMPDIR: folder,
    HOME: folder,
    ARGOCD_GPG_ENABLED: 'false',
    ARGOCD_FAKE_IN_CLUSTER: 'true',
    ARGOCD_TLS_DATA_PATH: folder,
    ARGOCD_SSH_DATA_PATH: folder,
    KUBECONFIG: controlPlane.adminKubeconfig,
  };
  /** Starts a part; gives what the pattern finds in its output. */
  const start = async (name: string, ready: RegExp, args = ''): Promise<string> => {
    const program = await findProgram(name === 'redis' ? 'redis' : 'argocd');
    const child = spawn(program, args.split(' '), {
      env: { ...process.env, ...env, ARGOCD_BINARY_NAME: name },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: ENDS_WITHIN_MS,
    });
    const ended = once(child, 'close');
    stack.defer(async () => {
      child.kill();
      await ended;
    });
    let said = '';
    return new Promise((resolve, reject) => {
      const listen = (chunk: Buffer): void => {
        said = (said + chunk.toString()).slice(-20_000);
        const [, found] = ready.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      };
      for (const stream of [child.stdout, child.stderr]) stream.on('data', listen);
      const fail = (): void => reject(new Error(`${name} ended. It said last:\n${said}`));
      ended.then(fail, reject);
    });
  };
  const redis = await start('redis', /^(\S+)\n/);
  const common = `--redis ${redis} --metrics-port 0`;
  const listening = /listening on (127\.0\.0\.1:\d+)/;
  const server = await start('argocd-repo-server', listening, `${common} ${REPO_SERVER}`);
  const works = /(Application Controller)/;
  const flags = `${common} --repo-server ${server} ${CONTROLLER}`;
  await start('argocd-application-controller', works, flags);
}

/** What Argo CD needs before it starts, as it is after its own installation. */
async function install({ kubectl }: ControlPlane): Promise<void> {
  const apply = async (file: string, stdin?: string): Promise<void> => {
    const { code, stderr } = await kubectl(['apply', '--server-side', '-f', file], stdin);
    if (code !== 0) throw new Error(`kubectl apply ${file}: ${stderr}`);
  };
  // The CRDs of the version that runs, from the module that it was built from.
  const module = ['mod', 'download', '-json', 'github.com/argoproj/argo-cd/v3'];
  const printed = await succeed('go', module, { cwd: 'test/controlplane/go/argocd' });
  const { Dir } = JSON.parse(printed) as { readonly Dir: string };
  const deadline = performance.now() + SERVED_WITHIN_MS;
  for (const name of ['application', 'appproject']) {
    await apply(join(Dir, `manifests/crds/${name}-crd.yaml`));
    while ((await kubectl(['get', `${name}s.argoproj.io`, '-A'])).code !== 0) {
      if (performance.now() > deadline) throw new Error(`${name}s are not served`);
      await pause(100);
    }
  }
  await apply('-', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: settings() }));
}

function settings(): object[] {
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  const object = (kind: string, name: string, apiVersion = 'v1') => ({
    apiVersion,
    kind,
    metadata: { name, namespace: 'argocd', labels },
  });
  const spec = {
    sourceRepos: ['*'],
    destinations: [{ namespace: '*', server: '*' }],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
  };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } },
    object('Secret', 'argocd-secret'),
    ...CONFIG_MAPS.map((name) => object('ConfigMap', `argocd-${name}`)),
    { ...object('AppProject', 'default', 'argoproj.io/v1alpha1'), spec },
  ];
}
