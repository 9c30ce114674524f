import { setTimeout as pause } from 'node:timers/promises';
import { type Figure, median, medianOf } from './figures.ts';
import { fillNamespace } from './objects.ts';
import { type Resident, residentOf } from './proc.ts';
import { type Program, WORKING } from './processes.ts';
import type { Stage } from './stage.ts';

const MOST_IDLE_MB = 90;
const MOST_FULL_MB = 200;
const MOST_FOR_SECRETS_MB = 40;

interface Load {
  readonly namespace: string;
  readonly objects: number;
  readonly secrets: number;
}

interface Measured {
  /** After having applied all of them; absent where there are none. */
  readonly applied?: Resident;
  /** After a restart with nothing to do. */
  readonly restarted: readonly Resident[];
}

interface Options {
  readonly quick: boolean;
  readonly say: (line: string) => void;
}

/**
 * Resident memory of the bundle once it has nothing to do: with nothing, with many objects, with
 * many Secrets.
 */
export async function measureMemory(stage: Stage, { quick, say }: Options): Promise<Figure[]> {
  const scale = quick ? 0.01 : 1;
  const options = { restMs: quick ? 500 : 60_000, restarts: quick ? 1 : 3, say };
  const idle = await measureLoad(
    stage,
    { namespace: 'memory-idle', objects: 0, secrets: 0 },
    options,
  );
  const one = await measureLoad(
    stage,
    { namespace: 'memory-one', objects: 1000 * scale, secrets: 1 },
    options,
  );
  const many = await measureLoad(
    stage,
    { namespace: 'memory-many', objects: 1000 * scale, secrets: 1000 * scale },
    options,
  );
  const full = await measureLoad(
    stage,
    { namespace: 'memory-full', objects: 10_000 * scale, secrets: 10 },
    options,
  );
  return [
    restart('idle', idle, MOST_IDLE_MB),
    ...applied('10,000 objects on 10 Secrets', full, MOST_FULL_MB),
    restart('10,000 objects on 10 Secrets', full, MOST_FULL_MB),
    ...applied('1,000 objects on one Secret', one),
    restart('1,000 objects on one Secret', one),
    ...applied('1,000 objects on 1,000 Secrets', many),
    restart('1,000 objects on 1,000 Secrets', many),
    added('after a restart', restMedian(many) - restMedian(one)),
    added('after applying all', (many.applied?.atRest ?? 0) - (one.applied?.atRest ?? 0)),
  ];
}

async function measureLoad(
  stage: Stage,
  load: Load,
  options: {
    readonly restMs: number;
    readonly restarts: number;
    readonly say: (line: string) => void;
  },
): Promise<Measured> {
  const { namespace, objects, secrets } = load;
  options.say(`memory: ${objects} objects on ${secrets} Secrets`);
  await fillNamespace(stage, load);
  const done = objects > 0 ? { applied: await applyAll(stage, load, options.restMs) } : {};
  const operators: Program[] = [];
  for (let run = 0; run < options.restarts; run += 1) {
    const operator = stage.startOperator({ namespace });
    await operator.says(WORKING);
    // The next start would slow this one's down, and a slower start collects garbage at other
    // times.
    await pause(Math.min(options.restMs, 5000));
    operators.push(operator);
  }
  await pause(options.restMs);
  const restarted = await Promise.all(operators.map(({ pid }) => residentOf(pid)));
  await Promise.all(operators.map((operator) => operator.stop()));
  const { calls } = { calls: stage.simulator.callCount() };
  if (calls !== expectedCalls(stage, objects))
    throw new Error(`${calls} calls: a restart is to send nothing`);
  return { ...done, restarted };
}

const sent = new WeakMap<Stage, number>();

function expectedCalls(stage: Stage, more: number): number {
  const calls = (sent.get(stage) ?? 0) + more;
  sent.set(stage, calls);
  return calls;
}

async function applyAll(
  stage: Stage,
  { namespace, objects }: Load,
  restMs: number,
): Promise<Resident> {
  const before = stage.simulator.callCount();
  const operator = stage.startOperator({
    namespace,
    flags: ['--api-in-flight', '50', '--concurrency', '50'],
  });
  while (stage.simulator.callCount() - before < objects) await pause(200);
  await pause(restMs);
  const resident = await residentOf(operator.pid);
  await operator.stop();
  return resident;
}

function restMedian({ restarted }: Measured): number {
  return median(restarted.map(({ atRest }) => atRest));
}

function restart(what: string, { restarted }: Measured, most?: number): Figure {
  const value = restMedian({ restarted });
  return {
    what: `memory at rest, ${what}${what === 'idle' ? '' : ', after a restart'}`,
    goal: most === undefined ? '–' : `≤ ${most} MB`,
    measured: `${medianOf(
      restarted.map(({ atRest }) => atRest),
      0,
    )} MB; peak ${median(restarted.map(({ peak }) => peak)).toFixed(0)} MB`,
    ...(most !== undefined && { met: value <= most }),
  };
}

function applied(what: string, { applied }: Measured, most?: number): Figure[] {
  if (!applied) return [];
  const { atRest, peak } = applied;
  return [
    {
      what: `memory at rest, ${what}, after applying all`,
      goal: most === undefined ? '–' : `≤ ${most} MB`,
      measured: `${atRest.toFixed(0)} MB; peak ${peak.toFixed(0)} MB`,
      ...(most !== undefined && { met: atRest <= most }),
    },
  ];
}

function added(when: string, megabytes: number): Figure {
  return {
    what: `1,000 objects on 1,000 Secrets against the same on one, ${when}`,
    goal: `≤ +${MOST_FOR_SECRETS_MB} MB`,
    measured: `${megabytes >= 0 ? '+' : ''}${megabytes.toFixed(0)} MB`,
    met: megabytes <= MOST_FOR_SECRETS_MB,
  };
}
