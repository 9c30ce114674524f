import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { startControlPlane } from '../controlplane/controlplane.ts';
import { type Say, step } from '../controlplane/progress.ts';
import { succeed } from '../controlplane/run.ts';
import { startControllers } from '../packaging/guides/controllers.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator } from '../simulator/types.ts';
import { startOperator } from '../support/operator.ts';
import { startArgoCd } from './argocd.ts';

/** The key of the Secret in deploy/examples. */
const KEY = { 'replace-with-your-key-id': 'replace-with-your-key-secret' };
const PATIENCE_MS = 120_000;
/** Without the settings of the person at this machine. */
const GIT_ENV = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
const GIT_USER = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];

/** What an Application says of itself. */
export interface Application {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly status?: {
    readonly sync?: { readonly status: string; readonly revisions?: readonly string[] };
    readonly health?: { readonly status: string };
    readonly resources?: readonly {
      readonly kind: string;
      readonly health?: { readonly status: string; readonly message?: string };
    }[];
    readonly operationState?: { readonly phase: string; readonly startedAt: string };
  };
}

/** A control plane, the simulated API, Argo CD, and a git repository on disk. */
export interface World extends AsyncDisposable {
  readonly simulator: Simulator;
  /** Its URL. */
  readonly repository: string;
  /** Writes these files into the folders `operator` and `ingest`; gives the commit. */
  commit(files: Readonly<Record<string, string>>): Promise<string>;
  startOperator(): Promise<void>;
  /** Output of kubectl; throws where it fails. */
  kubectl(args: readonly string[], stdin?: string): Promise<string>;
  /** Changes the Application. */
  patch(change: object): Promise<void>;
  /** The Application, as soon as it fits; throws with what it says where it does not. */
  until(what: string, fits: (application: Application) => boolean): Promise<Application>;
}

export async function openWorld(say: Say): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-argocd-'));
  stack.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const controlPlane = await startControlPlane({ say });
  stack.defer(controlPlane.stop);
  // Argo CD deletes in the foreground, which the collector of garbage ends.
  stack.defer((await startControllers(controlPlane)).stop);
  const simulator = await startSimulator({ keys: KEY });
  stack.defer(simulator.stop);
  const argocd = join(folder, 'argocd');
  await step(say, 'Starting Argo CD', () => startArgoCd(controlPlane, argocd, stack));
  const repository = join(folder, 'repository');
  for (const name of ['operator', 'ingest'])
    await mkdir(join(repository, name), { recursive: true });
  const git = (...args: string[]) =>
    succeed('git', ['-C', repository, ...GIT_USER, ...args], { env: GIT_ENV });
  await git('init', '--quiet', '--initial-branch=main');
  const kubectl: World['kubectl'] = async (args, stdin) => {
    const { code, stdout, stderr } = await controlPlane.kubectl(args, stdin);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const application = ['application', 'pipewright', '-n', 'argocd'];
  const all = stack.move();
  return {
    simulator,
    repository: `file://${repository}`,
    kubectl,
    async commit(files) {
      for (const [path, text] of Object.entries(files))
        await writeFile(join(repository, path), text);
      await git('add', '--all');
      await git('commit', '--quiet', '--message', 'a change');
      return (await git('rev-parse', 'HEAD')).trim();
    },
    async startOperator() {
      const { adminKubeconfig: kubeconfig } = controlPlane;
      const operator = await startOperator({ kubeconfig, apiUrl: simulator.url });
      all.defer(operator.kill);
    },
    async patch(change) {
      await kubectl(['patch', ...application, '--type=merge', '-p', JSON.stringify(change)]);
    },
    async until(what, fits) {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        const json = await kubectl(['get', ...application, '-o', 'json']);
        const seen = JSON.parse(json) as Application;
        if (fits(seen)) return seen;
        if (performance.now() > deadline)
          throw new Error(`waited in vain for ${what}: ${inspect(seen.status, { depth: 6 })}`);
        await pause(300);
      }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
