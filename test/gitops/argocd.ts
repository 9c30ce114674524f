import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ControlPlane } from '../controlplane/controlplane.ts';
import { findProgram } from '../controlplane/programs.ts';
import { type Say, step } from '../controlplane/progress.ts';
import { ARGOCD_NAMESPACE, applyArgoCdObjects } from './argocd-objects.ts';
import { freePort, startService } from './service.ts';

export interface ArgoCdOptions {
  readonly controlPlane: ControlPlane;
  /** For its files; the caller removes it. */
  readonly folder: string;
  /** The OCI repository to be asked over plain HTTP. */
  readonly registry: string;
  readonly say: Say;
  readonly signal: AbortSignal;
}

export interface ArgoCd {
  /** For commands of a person: `argocd`, logged in, and `kubectl`. */
  readonly personEnv: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * Starts Argo CD on loopback and on this control plane: repo-server, application-controller,
 * ApplicationSet controller, API server without a login, and a Redis. No Dex, no notifications.
 */
export async function startArgoCd(options: ArgoCdOptions): Promise<ArgoCd> {
  const { controlPlane, folder, registry, say, signal } = options;
  const program = await findProgram('argocd', { say });
  const redis = await findProgram('redis', { say });
  const kustomize = await findProgram('kustomize', { say });
  const helm = await findProgram('helm', { say });
  await mkdir(folder, { recursive: true });
  await step(say, 'Installing the CRDs and the settings of Argo CD', () =>
    applyArgoCdObjects(controlPlane, registry),
  );
  await using stack = new AsyncDisposableStack();
  const store = await startService({
    program: redis,
    logFile: join(folder, 'redis.log'),
    ready: (said) => said.includes('\n'),
    signal,
  });
  stack.defer(store.stop);
  const kubectl = controlPlane.kubectlProgram;
  const path = await programFolder(folder, { kustomize, helm, kubectl, argocd: program });
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
  const start = async (part: string, args: readonly string[], ready: string): Promise<void> => {
    const service = await step(say, `Starting argocd-${part}`, () =>
      startService({
        program,
        args: [...args, '--loglevel', 'info'],
        env: { ...env, ARGOCD_BINARY_NAME: `argocd-${part}` },
        logFile: join(folder, `${part}.log`),
        ready: (output) => output.includes(ready),
        signal,
      }),
    );
    stack.defer(service.stop);
  };
  const cache = ['--redis', store.output().trim()];
  const cluster = [
    '--kubeconfig',
    controlPlane.adminKubeconfig,
    '--namespace',
    ARGOCD_NAMESPACE,
    '--repo-server-plaintext',
  ];
  const repoPort = await freePort();
  const repoServer = `127.0.0.1:${repoPort}`;
  const noTls = ['--disable-tls', '--client-ca-path', ''];
  await start(
    'repo-server',
    [...cache, ...noTls, ...(await listening({ port: repoPort }))],
    'is listening on',
  );
  // Where its metrics listen cannot be chosen: on all addresses, at a port that is free.
  const often = ['--app-resync', '10', '--app-resync-jitter', '0', '--persist-resource-health'];
  await start(
    'application-controller',
    [...cache, ...cluster, ...often, '--repo-server', repoServer, '--metrics-port', await aPort()],
    'Application Controller',
  );
  const addresses = ['--metrics-addr', '--probe-addr', '--webhook-addr'];
  const own = await Promise.all(
    addresses.map(async (flag) => [flag, `127.0.0.1:${await aPort()}`]),
  );
  await start(
    'applicationset-controller',
    [...cluster, ...own.flat(), '--argocd-repo-server', repoServer],
    'Starting manager',
  );
  const port = await freePort();
  const open = ['--insecure', '--disable-auth', ...(await listening({ port }))];
  await start(
    'server',
    [...cache, ...cluster, ...open, '--repo-server', repoServer],
    'serving on port',
  );
  const all = stack.move();
  return {
    personEnv: {
      PATH: env.PATH,
      HOME: folder,
      KUBECONFIG: controlPlane.adminKubeconfig,
      KUBERC: 'off',
      ARGOCD_SERVER: `127.0.0.1:${port}`,
      ARGOCD_OPTS: '--plaintext',
    },
    stop: () => all.disposeAsync(),
  };
}

const aPort = async (): Promise<string> => String(await freePort());

async function listening({ port }: { readonly port: number }): Promise<string[]> {
  const metrics = ['--metrics-address', '127.0.0.1', '--metrics-port', await aPort()];
  return ['--address', '127.0.0.1', '--port', String(port), ...metrics];
}

/**
 * What is to be on the PATH: programs by their names, and a script that Argo CD wants and that is
 * of no use without signatures.
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
