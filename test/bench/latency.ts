import { timeEdits } from './edits.ts';
import { type Figure, median, medianOf, percentile } from './figures.ts';
import { fillNamespace, type Pset, psetPath } from './objects.ts';
import { READY, WORKING } from './processes.ts';
import type { Stage } from './stage.ts';
import { settled } from './statuses.ts';

const OBJECTS = 20;

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
  const copyToBare = async (name: string, index: number): Promise<void> => {
    const { status } = await settled(stage, operated, name);
    await copyStatus(stage, status, psetPath(bared, names.bare[index]));
  };
  for (const [index, name] of names.operator.entries()) await copyToBare(name, index);
  const [operatorTimes, bareTimes] = await timeEdits(
    stage,
    [
      { namespace: operated, names: names.operator, finish: copyToBare },
      { namespace: bared, names: names.bare },
    ],
    edits,
  );
  await Promise.all([operator.stop(), peer.stop()]);
  return { operator: operatorTimes, bare: bareTimes };
}

/**
 * The objects of the bare watcher carry the same status: how long the API server takes over an edit
 * depends on it.
 */
async function copyStatus(stage: Stage, status: Pset['status'], path: string): Promise<void> {
  const object = await stage.ask<Pset>('GET', path);
  await stage.ask('PUT', `${path}/status`, { ...object, status });
}
