import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Figure, median, medianOf } from './figures.ts';
import { fillNamespace } from './objects.ts';
import type { Program } from './processes.ts';
import type { Stage } from './stage.ts';
import { exampleStatus, lastStatus } from './statuses.ts';

/** What every side does at once. */
export const CONCURRENCY = 10;
export const FLAGS = ['--api-in-flight', String(CONCURRENCY), '--concurrency', String(CONCURRENCY)];
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
      await fillNamespace(stage, { namespace, objects });
      rates[side].push(
        await (side === 'operator' ? operatorRate : bareRate)(stage, {
          namespace,
          objects,
          status,
        }),
      );
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

interface Round {
  readonly namespace: string;
  readonly objects: number;
  readonly status: object;
}

async function operatorRate(stage: Stage, { namespace, objects }: Round): Promise<number> {
  const first = stage.arrivals.next(`/${namespace}-`);
  const operator = stage.startOperator({ namespace, flags: FLAGS });
  const since = performance.timeOrigin + (await operator.outlives(first));
  const rate =
    objects / (((await untilWritten(stage, { namespace, objects, by: operator })) - since) / 1000);
  await operator.stop();
  return rate;
}

async function bareRate(stage: Stage, { namespace, objects, status }: Round): Promise<number> {
  const first = stage.arrivals.next(`/${namespace}-`);
  const peer = await stage.startPeer('bare-loop.ts', {
    namespace,
    concurrency: CONCURRENCY,
    status,
  });
  const since = performance.timeOrigin + (await peer.outlives(first));
  const rate =
    objects / (((await untilWritten(stage, { namespace, objects, by: peer })) - since) / 1000);
  await peer.stop();
  return rate;
}

async function untilWritten(
  stage: Stage,
  {
    namespace,
    objects,
    by,
  }: { readonly namespace: string; readonly objects: number; readonly by: Program },
): Promise<number> {
  for (;;) {
    await pause(2000);
    by.mustRun();
    const last = await lastStatus(stage, namespace, objects);
    if (last !== undefined) return last;
  }
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
