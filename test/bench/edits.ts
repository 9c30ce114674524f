import { setTimeout as pause } from 'node:timers/promises';
import { psetPath } from './peer.ts';
import { until } from './process.ts';
import { type Figures, percentile, type Round } from './report.ts';
import { type Side, type Start, settled, startSide } from './sides.ts';
import { fill, type Stage } from './stage.ts';

const OBJECTS = 20;
/** Edits of each side before any is counted. */
const WARM_UP = 30;
const EDITS = 300;
/** After an edit is over, until all sides have nothing to do. */
const REST_MS = 40;

/**
 * From sending an edit of a spec to the arrival of its PUT, in ms. All sides run, each with objects
 * of its own, and are edited by turns.
 */
export async function measureEdits(
  sides: readonly Side[],
  { namespace, ...start }: Start,
): Promise<Round> {
  const { stage } = start;
  const all = await Promise.all(sides.map((side) => open(side, start, `${namespace}-${side}`)));
  for (let edit = 0; edit < WARM_UP + EDITS; edit += 1) {
    const first = edit % all.length;
    for (const one of [...all.slice(first), ...all.slice(0, first)]) {
      const name = one.names[edit % OBJECTS] ?? '';
      const took = await editOne(stage, one.namespace, name, 1000 + edit);
      if (edit >= WARM_UP) one.times.push(took);
      if (one.side !== 'bare') await settled(stage, one.namespace, name);
      await pause(REST_MS);
    }
  }
  for (const { program } of all) await program.stop();
  return Object.fromEntries(all.map(({ side, times }) => [side, figuresOf(times)]));
}

function figuresOf(times: readonly number[]): Figures {
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  return { 'edit to PUT, p50, ms': p50, 'edit to PUT, p99, ms': p99 };
}

/** One side at work, and its objects at rest. */
async function open(side: Side, start: Omit<Start, 'namespace'>, namespace: string) {
  const names = await fill(start.stage, namespace, OBJECTS);
  const here = { ...start, namespace };
  // How long the API server takes over an edit depends on the size of the object.
  if (side === 'bare') for (const name of names) await writeStatus(here, name);
  const program = await startSide(side === 'bare' ? 'watcher' : side, here);
  for (const name of names) await settled(start.stage, namespace, name);
  return { side, namespace, names, program, times: [] as number[] };
}

async function writeStatus({ stage, namespace, status }: Start, name: string): Promise<void> {
  const path = psetPath(namespace, name);
  const object = await stage.ask<object>('GET', path);
  await stage.ask('PUT', `${path}/status`, { ...object, status });
}

async function editOne(stage: Stage, namespace: string, name: string, value: number) {
  const before = stage.arrivals.length;
  const since = performance.now();
  const settings = { streaming_max_insert_wait_ms: value };
  await stage.ask('PATCH', psetPath(namespace, name), { spec: { settings } });
  const put = await until(`a PUT of ${name}`, () =>
    stage.arrivals.slice(before).find(({ path }) => path.includes(`/${name}/`)),
  );
  return put.at - since;
}
