import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { progressLines } from '../controlplane/progress.ts';
import { PICTURE, Recording } from './recording.ts';
import { createStage, type Stage } from './stage.ts';
import { type Step, story } from './story.ts';
import { createLines, createTable, drawOn, type View } from './view.ts';
import { buildWorld, NAMESPACE, type World } from './world.ts';

const usage = `Usage: npm run demo [-- --once | --record]
  (none)    tell a story of the operator at work, on a real API server, then stay until Ctrl-C
  --once    tell it without pauses, check every step, and end: with 1 when something is not as told
  --record  tell its first half, and make ${PICTURE} of it`;
/** What a visitor of the README has time for. */
const RECORDED_STEPS = 4;

function readMode(): 'visit' | 'once' | 'record' {
  const { once, record } = parseArgs({
    options: { once: { type: 'boolean' }, record: { type: 'boolean' } },
  }).values;
  return once ? 'once' : record ? 'record' : 'visit';
}

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

function farewell({ controlPlane, simulator, programs }: World): string {
  return [
    '',
    'Everything stays up until Ctrl-C, which removes it. In another terminal:',
    `  export KUBECONFIG=${controlPlane.adminKubeconfig}`,
    `  export PATH="${programs}:$PATH"`,
    `  kubectl pipewright status -n ${NAMESPACE}`,
    `  kubectl -n ${NAMESPACE} edit pset/orders`,
    `  curl ${simulator.url}/_control/state   # what the management API has`,
  ].join('\n');
}

async function demo(mode: ReturnType<typeof readMode>): Promise<void> {
  process.chdir(dirname(dirname(import.meta.dirname)));
  // What is set for an operator of one's own is not for this one.
  for (const name of Object.keys(process.env))
    if (name.startsWith('PIPEWRIGHT_')) delete process.env[name];
  const recording = new Recording();
  const view = viewOf(mode, recording);
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

function viewOf(mode: ReturnType<typeof readMode>, recording: Recording): View {
  if (mode === 'record') return createTable(recording.draw);
  const { stdout } = process;
  return stdout.isTTY ? createTable(drawOn(stdout)) : createLines((line) => console.log(line));
}

try {
  await demo(readMode());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  if (error instanceof TypeError) console.error(usage);
  process.exitCode = 1;
}
