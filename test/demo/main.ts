import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { progressLines } from '../controlplane/progress.ts';
import { Recording } from './recording.ts';
import { createStage, type Stage } from './stage.ts';
import { type Step, story } from './story.ts';
import { createLines, createTable, drawOn, type View } from './view.ts';
import { buildWorld, NAMESPACE, type World } from './world.ts';

/**
 * Without an option: tells the story, then stays until Ctrl-C. `--once` tells it without pauses and
 * ends with 1 where something is not as told. `--record` makes a picture of its first half.
 */
const OPTIONS = { once: { type: 'boolean' }, record: { type: 'boolean' } } as const;
/** What a visitor of the README has time for. */
const RECORDED_STEPS = 4;

async function play(stage: Stage, view: View, steps: readonly Step[]): Promise<void> {
  for (const [index, { title, play: playStep }] of steps.entries()) {
    view.say('');
    view.say(`${index + 1} of ${steps.length}: ${title}`, 'cyan');
    await playStep(stage).catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      const log = stage.operator.output().split('\n').slice(-15).join('\n');
      throw new Error(`The step “${title}” failed: ${why}\nThe operator's log:\n${log}`, { cause });
    });
  }
}

function farewell({ controlPlane, programs }: World): string {
  return [
    '',
    'Everything stays up until Ctrl-C, which removes it. In another terminal:',
    `  export KUBECONFIG=${controlPlane.adminKubeconfig}`,
    `  export PATH="${programs}:$PATH"`,
    `  kubectl pipewright status -n ${NAMESPACE}`,
    `  kubectl -n ${NAMESPACE} edit pset/orders`,
  ].join('\n');
}

async function demo(mode: 'visit' | 'once' | 'record'): Promise<void> {
  process.chdir(dirname(dirname(import.meta.dirname)));
  const recording = new Recording();
  const draw = mode === 'record' ? recording.draw : process.stdout.isTTY && drawOn(process.stdout);
  const view = draw ? createTable(draw) : createLines((line) => console.log(line));
  const stopped = new Promise<'stopped'>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => resolve('stopped'));
  });
  const world = await buildWorld(progressLines(), (call) => view.call(call));
  try {
    const stage = createStage(world, view, { isWatched: mode !== 'once' });
    const steps = mode === 'record' ? story.slice(0, RECORDED_STEPS) : story;
    const end = await Promise.race([play(stage, view, steps), stopped]);
    if (end === 'stopped' && mode !== 'visit') throw new Error('stopped before its end');
    if (mode === 'record') await recording.save();
    if (mode === 'visit' && end !== 'stopped') {
      view.say(farewell(world));
      while ((await Promise.race([stopped, pause(1_000)])) !== 'stopped') await stage.read();
    }
  } finally {
    await world.end();
  }
}

try {
  const { once, record } = parseArgs({ options: OPTIONS }).values;
  await demo(once ? 'once' : record ? 'record' : 'visit');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
