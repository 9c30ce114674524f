import { spawn } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { succeed } from '../packaging/run.ts';

const CONFIG_MAPS = ['cm', 'rbac-cm', 'tls-certs-cm', 'ssh-known-hosts-cm', 'gpg-keys-cm'];
/** The story is over long before. */
const ENDS_WITHIN_MS = 600_000;
const SERVED_WITHIN_MS = 30_000;

/** Starts Argo CD on loopback, with its files in this folder: repo-server, controller, Redis. */
export async function startArgoCd(
  controlPlane: ControlPlane,
  folder: string,
): Promise<AsyncDisposable> {
  await install(controlPlane);
  const program = await findProgram('argocd');
  await mkdir(folder);
  await symlink(program, join(folder, 'argocd'));
  // Argo CD looks for it, and it is of no use without signatures.
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
  await using stack = new AsyncDisposableStack();
  const start = async (part: string, args: readonly string[], ready: RegExp): Promise<string> => {
    const path = part === 'redis' ? await findProgram('redis') : program;
    const service = startService(path, args, { ...env, ARGOCD_BINARY_NAME: `argocd-${part}` });
    stack.defer(service.stop);
    return service.until(ready);
  };
  const cache = ['--redis', await start('redis', [], /^(\S+)\n/), '--metrics-port', '0'];
  const address = await start(
    'repo-server',
    [
      ...cache,
      ...['--address', '127.0.0.1', '--metrics-address', '127.0.0.1', '--port', '0'],
      ...['--disable-tls', '--client-ca-path', ''],
    ],
    /listening on (127\.0\.0\.1:\d+)/,
  );
  await start(
    'application-controller',
    [
      ...cache,
      ...['--kubeconfig', controlPlane.adminKubeconfig, '--namespace', 'argocd'],
      ...['--repo-server', address, '--repo-server-plaintext'],
      // With the health of each object in the Application, for the test to read.
      '--persist-resource-health',
    ],
    /(Application Controller)/,
  );
  return stack.move();
}

/** A program that runs until it is stopped; `until` gives what the pattern finds in its output. */
function startService(program: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: ENDS_WITHIN_MS,
  });
  let said = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  return {
    until: (ready: RegExp): Promise<string> =>
      new Promise((resolve, reject) => {
        const listen = (chunk: Buffer): void => {
          said = (said + chunk.toString()).slice(-20_000);
          const [, found] = ready.exec(said) ?? [];
          if (found !== undefined) resolve(found);
        };
        for (const stream of [child.stdout, child.stderr]) stream.on('data', listen);
        child.once('error', reject);
        void ended.then(() => reject(new Error(`${program} ended. It said last:\n${said}`)));
      }),
    stop: (): Promise<void> => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** What Argo CD needs before it starts, as it is after its own installation. */
async function install({ kubectl }: ControlPlane): Promise<void> {
  const run = async (args: readonly string[], stdin?: string): Promise<void> => {
    const { code, stderr } = await kubectl(args, stdin);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  };
  const apply = ['apply', '--server-side', '-f'];
  // Those of the version that runs, from the module that it was built from.
  const cwd = 'test/controlplane/go/argocd';
  const module = ['mod', 'download', '-json', 'github.com/argoproj/argo-cd/v3'];
  const { Dir } = JSON.parse(await succeed('go', module, { cwd })) as { readonly Dir: string };
  for (const name of ['application', 'applicationset', 'appproject']) {
    await run([...apply, join(Dir, `manifests/crds/${name}-crd.yaml`)]);
    const deadline = performance.now() + SERVED_WITHIN_MS;
    while ((await kubectl(['get', `${name}s.argoproj.io`, '-A'])).code !== 0) {
      if (performance.now() > deadline) throw new Error(`${name}s are not served`);
      await pause(100);
    }
  }
  await run([...apply, '-'], JSON.stringify(settings()));
}

function settings(): object {
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  const head = (apiVersion: string, kind: string, name: string) => ({
    apiVersion,
    kind,
    metadata: { name, namespace: 'argocd', labels },
  });
  const project = {
    sourceRepos: ['*'],
    destinations: [{ namespace: '*', server: '*' }],
    clusterResourceWhitelist: [{ group: '*', kind: '*' }],
  };
  const items = [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } },
    ...CONFIG_MAPS.map((name) => head('v1', 'ConfigMap', `argocd-${name}`)),
    head('v1', 'Secret', 'argocd-secret'),
    { ...head('argoproj.io/v1alpha1', 'AppProject', 'default'), spec: project },
  ];
  return { apiVersion: 'v1', kind: 'List', items };
}
