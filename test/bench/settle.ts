import { join } from 'node:path';
import { type Figure, median, medianOf } from './figures.ts';
import { fillNamespace } from './objects.ts';
import { measureSettling } from './peer-round.ts';
import { CONCURRENCY, FLAGS } from './peer-sides.ts';
import type { Stage } from './stage.ts';
import { exampleStatus } from './statuses.ts';

const LEAST_SHARE = 0.8;
const MOST_START_MS = 500;

interface Options {
  readonly quick: boolean;
  readonly say: (line: string) => void;
}

/**
 * How fast many new objects become Ready, against a bare loop; and how soon after its start the
 * operator sends its first PUT.
 */
export async function measureSettle(stage: Stage, options: Options): Promise<Figure[]> {
  const objects = options.quick ? 30 : 1000;
  const rates: { operator: number[]; bare: number[] } = { operator: [], bare: [] };
  const status = await exampleStatus(stage);
  for (let run = 1; run <= (options.quick ? 1 : 5); run += 1) {
    options.say(`settle: run ${run}, ${objects} objects each`);
    const sides: ('operator' | 'bare')[] =
      run % 2 === 0 ? ['bare', 'operator'] : ['operator', 'bare'];
    for (const side of sides) {
      const namespace = `settle-${side}-${run}`;
      const { rate } = await measureSettling(stage, side, { namespace, objects, status });
      rates[side].push(rate);
    }
  }
  const shares = rates.operator.map((rate, index) => rate / (rates.bare[index] ?? Number.NaN));
  const settled: Figure = {
    what: `${objects} new objects, ${CONCURRENCY} at once, API in 20 ms, against a bare loop`,
    goal: `≥ ${LEAST_SHARE} ×`,
    measured: `${medianOf(shares, 2)} ×; operator ${medianOf(rates.operator, 0)}, bare ${medianOf(rates.bare, 0)} objects/s`,
    met: median(shares) >= LEAST_SHARE,
  };
  return [settled, ...(await measureStart(stage, options))];
}

/** Each start is ended at its first PUT, so that nearly all objects still wait for the next one. */
async function measureStart(stage: Stage, { quick, say }: Options): Promise<Figure[]> {
  const objects = quick ? 30 : 1000;
  const starts = quick ? 1 : 7;
  const namespace = 'start';
  await fillNamespace(stage, { namespace, objects });
  // The Role names one Lease; `--namespaces` would derive another name.
  const election = ['--leader-elect', '--leader-elect-namespace', 'pipewright'].concat(
    ['--leader-elect-name', 'pipewright'],
    FLAGS,
  );
  const start = async (env: Readonly<Record<string, string>>): Promise<number> => {
    const first = stage.arrivals.next(`/${namespace}-`);
    const since = performance.now();
    const operator = stage.startOperator({ namespace, flags: election, env });
    const took = (await operator.outlives(first)) - since;
    await operator.stop();
    return took;
  };
  const cache = { NODE_COMPILE_CACHE: join(stage.controlPlane.folder, 'compile-cache') };
  say(`settle: ${starts} starts without and with a compile cache`);
  await start(cache);
  const times: { plain: number[]; cached: number[] } = { plain: [], cached: [] };
  for (let run = 0; run < starts; run += 1) {
    times.plain.push(await start({}));
    times.cached.push(await start(cache));
  }
  const row = (how: string, values: readonly number[]): Figure => ({
    what: `process start to first PUT with ${objects} objects waiting, ${how}`,
    goal: `≤ ${MOST_START_MS / 1000} s`,
    measured: `${medianOf(
      values.map((ms) => ms / 1000),
      2,
    )} s`,
    met: median(values) <= MOST_START_MS,
  });
  return [row('as installed', times.plain), row('with a warm NODE_COMPILE_CACHE', times.cached)];
}
