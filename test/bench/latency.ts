import { setTimeout as pause } from 'node:timers/promises';
import { type Figure, median, medianOf, percentile } from './figures.ts';
import { fillNamespace, isSettled, type Pset, psetPath } from './objects.ts';
import { READY, WORKING } from './processes.ts';
import type { Stage } from './stage.ts';

const OBJECTS = 20;
/** Edits of each side before any is counted. */
const WARM_UP = 30;
/** After an edit is over, until both sides have nothing to do. */
const REST_MS = 40;

interface Run {
  readonly operator: readonly number[];
  readonly bare: readonly number[];
}

/**
 * From sending an edit of a spec to the arrival of its PUT, for the operator and a bare watcher by
 * turns.
 */
export async function measureLatency(
  stage: Stage,
  { quick, say }: { readonly quick: boolean; readonly say: (line: string) => void },
): Promise<Figure[]> {
  const edits = quick ? 20 : 400;
  const runs: Run[] = [];
  for (let run = 1; run <= (quick ? 1 : 3); run += 1) {
    say(`latency: run ${run}, ${edits} edits each`);
    runs.push(await measureOnce(stage, { run, edits }));
  }
  return [row('p50', 0.5, 1.5, runs), row('p99', 0.99, 2, runs)];
}

function row(name: string, share: number, most: number, runs: readonly Run[]): Figure {
  const operator = runs.map((run) => percentile(run.operator, share));
  const bare = runs.map((run) => percentile(run.bare, share));
  const ratios = operator.map((value, index) => value / (bare[index] ?? Number.NaN));
  return {
    what: `spec change to PUT, idle, ${name}, against a bare watcher`,
    goal: `≤ ${most} ×`,
    measured: `${medianOf(ratios, 2)} ×; operator ${medianOf(operator, 1)} ms, bare ${medianOf(bare, 1)} ms`,
    met: median(ratios) <= most,
  };
}

async function measureOnce(
  stage: Stage,
  { run, edits }: { readonly run: number; readonly edits: number },
): Promise<Run> {
  const [operated, bared] = [`latency-operator-${run}`, `latency-bare-${run}`];
  const names = {
    operator: await fillNamespace(stage, { namespace: operated, objects: OBJECTS }),
    bare: await fillNamespace(stage, { namespace: bared, objects: OBJECTS }),
  };
  const operator = stage.startOperator({ namespace: operated });
  const peer = await stage.startPeer('bare-watcher.ts', { namespace: bared });
  await Promise.all([operator.says(WORKING), peer.says(READY)]);
  for (const [index, name] of names.operator.entries()) {
    const { status } = await settled(stage, operated, name);
    await copyStatus(stage, status, psetPath(bared, names.bare[index]));
  }
  const times: { operator: number[]; bare: number[] } = { operator: [], bare: [] };
  const editOperated = async (edit: number): Promise<void> => {
    const name = names.operator[edit % OBJECTS] ?? '';
    const took = await editOne(stage, { namespace: operated, name, value: 1000 + edit });
    if (edit >= WARM_UP) times.operator.push(took);
    const { status } = await settled(stage, operated, name);
    await copyStatus(stage, status, psetPath(bared, names.bare[edit % OBJECTS]));
  };
  const editBared = async (edit: number): Promise<void> => {
    const took = await editOne(stage, {
      namespace: bared,
      name: names.bare[edit % OBJECTS] ?? '',
      value: 1000 + edit,
    });
    if (edit >= WARM_UP) times.bare.push(took);
  };
  for (let edit = 0; edit < WARM_UP + edits; edit += 1) {
    for (const side of edit % 2 === 0 ? [editOperated, editBared] : [editBared, editOperated]) {
      await side(edit);
      await pause(REST_MS);
    }
  }
  await Promise.all([operator.stop(), peer.stop()]);
  return times;
}

async function editOne(
  stage: Stage,
  {
    namespace,
    name,
    value,
  }: { readonly namespace: string; readonly name: string; readonly value: number },
): Promise<number> {
  const arrival = stage.arrivals.next(`/${name}/`);
  const since = performance.now();
  await stage.ask('PATCH', psetPath(namespace, name), {
    spec: { settings: { streaming_max_insert_wait_ms: value } },
  });
  return (await arrival) - since;
}

async function settled(stage: Stage, namespace: string, name: string): Promise<Pset> {
  for (;;) {
    const object = await stage.ask<Pset>('GET', psetPath(namespace, name));
    if (isSettled(object)) return object;
    await pause(10);
  }
}

/**
 * The objects of the bare watcher carry the same status: how long the API server takes over an edit
 * depends on it.
 */
async function copyStatus(stage: Stage, status: Pset['status'], path: string): Promise<void> {
  const object = await stage.ask<Pset>('GET', path);
  await stage.ask('PUT', `${path}/status`, { ...object, status });
}
