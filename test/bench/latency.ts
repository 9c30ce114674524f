import { openBareWatcher } from './bare-side.ts';
import { timeEdits } from './edits.ts';
import { type Figure, median, medianOf, percentile } from './figures.ts';
import { fillNamespace } from './objects.ts';
import { WORKING } from './processes.ts';
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
  const namespace = `latency-operator-${run}`;
  const names = await fillNamespace(stage, { namespace, objects: OBJECTS });
  const operator = stage.startOperator({ namespace });
  await operator.says(WORKING);
  const bare = await openBareWatcher(stage, `latency-bare-${run}`, OBJECTS);
  const copyToBare = async (name: string, index: number): Promise<void> =>
    bare.copy((await settled(stage, { namespace, name, by: operator })).status, index);
  for (const [index, name] of names.entries()) await copyToBare(name, index);
  const times: number[] = [];
  await timeEdits(stage, [{ namespace, names, finish: copyToBare, times }, bare.side], edits);
  await Promise.all([operator.stop(), bare.stop()]);
  return { operator: times, bare: bare.side.times };
}
