import { join } from 'node:path';
import { type Objects, watchObjects } from './objects.ts';
import { rowOf } from './panel.ts';
import { createStage, type Stage } from './stage.ts';
import type { Step } from './story.ts';
import { type Ended, failureLines, summaryLines } from './summary.ts';
import type { View } from './view.ts';
import { NAMESPACE, type World } from './world.ts';

/** How the story ended. */
export interface Performance {
  readonly failed: boolean;
}

export interface PerformOptions {
  readonly world: World;
  readonly view: View;
  readonly steps: readonly Step[];
  /** Pauses to read in. */
  readonly audience: boolean;
  /** Words of welcome and farewell, for one who can look around meanwhile and stay. */
  readonly visitor: boolean;
  /** Rejects with its reason when it comes in the middle of the story. */
  readonly signal: AbortSignal;
}

/**
 * Tells the story up to its end or to the first step that fails. The view shows the objects until
 * `signal` comes.
 */
export async function perform(options: PerformOptions): Promise<Performance> {
  const { world, view, audience, visitor, signal } = options;
  const { controlPlane } = world;
  const objects = watchObjects({
    kubectl: controlPlane.kubectlProgram,
    env: {
      ...process.env,
      KUBECONFIG: controlPlane.adminKubeconfig,
      KUBECACHEDIR: join(controlPlane.folder, 'kubectl'),
    },
    namespace: NAMESPACE,
    onChange: (ref, object) => (object ? view.object(rowOf(ref, object)) : view.gone(ref)),
  });
  signal.addEventListener('abort', objects.close, { once: true });
  const dead = new AbortController();
  world.operator.onDeath((how) => {
    view.say('bad', `The operator ${how}, which nobody asked it to. Its log: ${world.logFile}`);
    dead.abort(new Error(`the operator ${how}`));
  });
  if (visitor) for (const line of welcome(world)) view.say('plain', line);
  const stage = createStage({
    world,
    view,
    objects,
    audience,
    signal: AbortSignal.any([signal, dead.signal]),
  });
  const ended = await play(stage, objects, options);
  const failed = ended.some(({ outcome }) => outcome !== 'ok');
  view.step(failed ? 'a step failed' : 'the story is over');
  for (const line of summaryLines(ended)) view.say('plain', line);
  if (visitor) for (const line of farewell(world)) view.say('plain', line);
  else objects.close();
  return { failed };
}

async function play(
  stage: Stage,
  objects: Objects,
  { view, steps, signal }: PerformOptions,
): Promise<Ended[]> {
  const ended: Ended[] = [];
  for (const [index, { title, play: playStep }] of steps.entries()) {
    if (ended.some(({ outcome }) => outcome === 'FAILED')) {
      ended.push({ title, outcome: 'not tried', ms: 0 });
      continue;
    }
    const since = performance.now();
    view.say('title', `${index + 1} of ${steps.length}: ${title}`);
    view.step(`step ${index + 1} of ${steps.length}`);
    try {
      await playStep(stage);
      await stage.breathe();
      ended.push({ title, outcome: 'ok', ms: performance.now() - since });
    } catch (error) {
      signal.throwIfAborted();
      ended.push({ title, outcome: 'FAILED', ms: performance.now() - since });
      view.say('bad', `This step failed: ${title}`);
      const ref = stage.lastLookedAt();
      const object = ref === undefined ? undefined : objects.get(ref);
      for (const line of failureLines(error, stage, object)) view.say('plain', line);
    }
  }
  return ended;
}

function welcome(world: World): string[] {
  const { simulator, logFile } = world;
  return [
    '',
    'You see a real Kubernetes API server, the operator as it would run in a cluster, and a simulated management API.',
    'To look around meanwhile, in another terminal:',
    '',
    ...exports(world),
    `  kubectl -n ${NAMESPACE} get pset,porg,pact`,
    '',
    `Management API: ${simulator.url}`,
    `Log of the operator: ${logFile}`,
  ];
}

/** After these, kubectl is ours and has the plugin. */
function exports({ controlPlane, programs }: World): string[] {
  return [
    `  export KUBECONFIG=${controlPlane.adminKubeconfig}`,
    `  export PATH="${programs}:$PATH"`,
  ];
}

function farewell(world: World): string[] {
  const { simulator } = world;
  const kubectl = `  kubectl -n ${NAMESPACE}`;
  return [
    '',
    'Everything stays up until Ctrl-C. In another terminal:',
    '',
    ...exports(world),
    '  # the story of one object',
    `  kubectl pipewright explain pset/orders-v2 -n ${NAMESPACE}`,
    '  # change a setting; try 40, or a key that does not exist',
    `${kubectl} edit pset/orders-v2`,
    '  # how all objects stand, as it changes',
    `  kubectl pipewright status -n ${NAMESPACE} --watch`,
    '  # send it once more',
    `${kubectl} annotate pset/orders-v2 pipewright.dev/reconcile-requested-at="$(date)" --overwrite`,
    '  # the organization again; then edit its list of private endpoints',
    `${kubectl} apply -f deploy/examples/organization.yaml`,
    '  # take the management API away for 30 s',
    `  curl -d '{"forMs":30000}' ${simulator.url}/_control/down`,
    '  # what the management API stores',
    `  curl ${simulator.url}/_control/state`,
    '',
  ];
}
