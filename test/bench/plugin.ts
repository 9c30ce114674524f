import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { activityType } from '../../src/kinds/activity/resource.ts';
import { organizationType } from '../../src/kinds/organization/resource.ts';
import { collectionPath, type ResourceType } from '../../src/kube/resource.ts';
import { makePluginFolder } from '../support/plugin-folder.ts';
import { type Figure, median, percentile } from './figures.ts';
import { fillNamespace, isSettled, type Pset } from './objects.ts';
import { inParallel } from './parallel.ts';
import type { Stage } from './stage.ts';

const NAMESPACES = ['plugin-1', 'plugin-2', 'plugin-3', 'plugin-4'];
/** In each of these; the PipeSettings with the status of an operator, the others with none. */
const PER_NAMESPACE = { pipeSettings: 230, organizations: 10, activities: 10 };
const ORGANIZATION = '0b1d7c52-4f0e-4d0b-9a53-2f1c6e1d8a10';
const WARM_UP = 3;

interface Options {
  readonly quick: boolean;
  readonly say: (line: string) => void;
}

interface Pair {
  readonly what: string;
  readonly plugin: readonly string[];
  readonly kubectl: readonly string[];
  readonly most: number;
}

/** How long the plugin takes against what kubectl itself takes for the like of it. */
export async function measurePlugin(stage: Stage, { quick, say }: Options): Promise<Figure[]> {
  const share = quick ? 0.04 : 1;
  const count = await fill(stage, share, say);
  const runs = quick ? 3 : 40;
  const pairs: readonly Pair[] = [
    {
      what: 'kubectl pipewright --help, against kubectl version --client',
      plugin: ['pipewright', '--help'],
      kubectl: ['version', '--client'],
      most: 3,
    },
    {
      what: `kubectl pipewright status -A of ${count} objects, against kubectl get of them`,
      plugin: ['pipewright', 'status', '-A'],
      kubectl: ['get', 'pset,porg,pact', '-A'],
      most: 2,
    },
  ];
  const { folder, kubectlProgram, adminKubeconfig } = stage.controlPlane;
  const path = await makePluginFolder(folder, kubectlProgram);
  const env = {
    PATH: `${path}:${process.env.PATH ?? ''}`,
    HOME: path,
    KUBECONFIG: adminKubeconfig,
    KUBECACHEDIR: join(folder, 'kubectl'),
    KUBERC: 'off',
  };
  const figures: Figure[] = [];
  for (const pair of pairs) {
    say(`plugin: ${pair.what}, ${runs} times each`);
    figures.push(await measured(pair, { runs, program: join(path, 'kubectl'), env }));
  }
  return figures;
}

async function fill(stage: Stage, share: number, say: (line: string) => void): Promise<number> {
  const each = (count: number): number => Math.max(1, Math.round(count * share));
  for (const namespace of NAMESPACES) {
    await fillNamespace(stage, { namespace, objects: each(PER_NAMESPACE.pipeSettings) });
    await create(stage, organizationType, {
      namespace,
      count: each(PER_NAMESPACE.organizations),
      specOf: () => ({ name: 'Acme Data' }),
    });
    await create(stage, activityType, {
      namespace,
      count: each(PER_NAMESPACE.activities),
      specOf: (name) => ({ activityId: name }),
    });
  }
  say('plugin: an operator applies the PipeSettings');
  const operators = NAMESPACES.map((namespace) => stage.startOperator({ namespace }));
  const path = '/apis/pipewright.dev/v1alpha1/pipesettings';
  for (;;) {
    const { items } = await stage.ask<{ readonly items: readonly Pset[] }>('GET', path);
    if (items.every(isSettled)) break;
    await pause(500);
  }
  await Promise.all(operators.map((operator) => operator.stop()));
  return NAMESPACES.length * Object.values(PER_NAMESPACE).reduce((sum, one) => sum + each(one), 0);
}

/** Of the other kinds, with what all specs have and this. */
async function create(
  stage: Stage,
  type: ResourceType,
  options: {
    readonly namespace: string;
    readonly count: number;
    readonly specOf: (name: string) => object;
  },
): Promise<void> {
  const { namespace, count, specOf } = options;
  const names = Array.from({ length: count }, (_, at) => `${namespace}-${at}`);
  await inParallel(names, 10, (name) =>
    stage.ask('POST', collectionPath(type, namespace), {
      apiVersion: `${type.group}/${type.version}`,
      kind: type.kind,
      metadata: { name },
      spec: {
        organizationId: ORGANIZATION,
        credentialsSecretRef: { name: 'key-0' },
        ...specOf(name),
      },
    }),
  );
}

interface Running {
  readonly runs: number;
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

/** By turns, and each first as often as the other. */
async function measured({ what, most, ...calls }: Pair, running: Running): Promise<Figure> {
  const times = { plugin: [] as number[], kubectl: [] as number[] };
  for (let run = 0; run < WARM_UP + running.runs; run += 1) {
    for (const side of run % 2 === 0
      ? (['plugin', 'kubectl'] as const)
      : (['kubectl', 'plugin'] as const)) {
      const took = await timed(calls[side], running);
      if (run >= WARM_UP) times[side].push(took);
    }
  }
  const ratio = median(times.plugin) / median(times.kubectl);
  return {
    what,
    goal: `≤ ${most} ×`,
    measured: `${ratio.toFixed(2)} ×; plugin ${spread(times.plugin)}, kubectl ${spread(times.kubectl)}`,
    met: ratio <= most,
  };
}

/** Median, and between which values four of five lie. */
function spread(times: readonly number[]): string {
  const [low, high] = [percentile(times, 0.1), percentile(times, 0.9)];
  return `${median(times).toFixed(0)} (${low.toFixed(0)} to ${high.toFixed(0)}) ms`;
}

/** From its start to the end of its output. */
function timed(args: readonly string[], { program, env }: Running): Promise<number> {
  return new Promise((resolve, reject) => {
    const since = performance.now();
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let complaint = '';
    child.stdout.resume();
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString('utf8')));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve(performance.now() - since);
      else reject(new Error(`kubectl ${args.join(' ')} ended with ${code}: ${complaint}`));
    });
  });
}
