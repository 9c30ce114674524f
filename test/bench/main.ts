import { parseArgs } from 'node:util';
import { progressLines } from '../controlplane/progress.ts';
import { BUILD, runQuietly } from '../steps.ts';
import { type Figure, tableOf } from './figures.ts';
import { measureFloor } from './floor.ts';
import { measureLatency } from './latency.ts';
import { describeMachine } from './machine.ts';
import { measureMemory } from './memory.ts';
import { measurePeerLatency } from './peer-latency.ts';
import { measurePeers, type PeersOptions } from './peers.ts';
import { measurePlugin } from './plugin.ts';
import { killAll } from './processes.ts';
import { measureSettle } from './settle.ts';
import { openStage, type Stage } from './stage.ts';
import { measureTimeline } from './timeline.ts';

const usage = `Usage: node test/bench/main.ts [latency] [settle] [memory] [plugin] [peers] [floor] [--quick]
  (none)    all but peers and floor, about 16 minutes
  latency   from the change of a spec to its PUT
  settle    how fast new objects become Ready, and how soon after its start the operator sends
  memory    of the bundle at rest
  plugin    kubectl pipewright against kubectl; exits 1 where it is slower than its bounds
  peers     a bare loop, a Go operator (built once, needs Go) and ours by turns, about an hour
              --rounds N             of each, 5 where it is not given
              --objects N[,N...]     1000,10000 where it is not given
  floor     what a start is made of; the bare loop with one thing more at each step, and the
            operator; takes the same flags
  --quick   a few objects and edits, to see that it works; the figures mean nothing`;

interface Part {
  readonly latencyMs: number;
  readonly measure: (stage: Stage, options: PeersOptions) => Promise<Figure[]>;
}

interface Benchmark {
  readonly parts: readonly Part[];
  /** A goal that is not met is a failure; absent: the figures are for people to judge. */
  readonly isBinding?: true;
  /** It takes long: only where it is named. */
  readonly isOnDemand?: true;
}

const benchmarks: Readonly<Record<string, Benchmark>> = {
  latency: { parts: [{ latencyMs: 0, measure: measureLatency }] },
  settle: { parts: [{ latencyMs: 20, measure: measureSettle }] },
  memory: { parts: [{ latencyMs: 0, measure: measureMemory }] },
  plugin: { parts: [{ latencyMs: 0, measure: measurePlugin }], isBinding: true },
  peers: {
    parts: [
      { latencyMs: 20, measure: measurePeers },
      { latencyMs: 0, measure: measurePeerLatency },
    ],
    isOnDemand: true,
  },
  floor: {
    parts: [
      { latencyMs: 20, measure: measureTimeline },
      { latencyMs: 20, measure: measureFloor },
    ],
    isOnDemand: true,
  },
};

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '5' },
      objects: { type: 'string', default: '1000,10000' },
      help: { type: 'boolean', default: false },
    },
  });
  const byDefault = Object.keys(benchmarks).filter((name) => !benchmarks[name]?.isOnDemand);
  const names = positionals.length > 0 ? positionals : byDefault;
  const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
  if (values.help || unknown.length > 0) {
    console.error(
      unknown.length > 0 ? `There is no benchmark ${unknown.join(', ')}.\n${usage}` : usage,
    );
    return values.help ? 0 : 2;
  }
  const rounds = Number(values.rounds);
  const objects = values.objects.split(',').map(Number);
  if (![rounds, ...objects].every((number) => Number.isSafeInteger(number) && number > 0)) {
    console.error(`--rounds and --objects take whole numbers from 1.\n${usage}`);
    return 2;
  }
  if (!(await runQuietly(BUILD))) return 1;
  const say = progressLines();
  const figures: Figure[] = [];
  let holds = true;
  for (const name of names) {
    const benchmark = benchmarks[name];
    if (!benchmark) continue;
    const options = { quick: values.quick, rounds, objects, say };
    const found: Figure[] = [];
    for (const part of benchmark.parts) found.push(...(await measured(part, options)));
    figures.push(...found);
    if (benchmark.isBinding && !values.quick) holds &&= found.every(({ met }) => met !== false);
  }
  console.log(
    `\n${describeMachine()}\n${new Date().toISOString().slice(0, 10)}, npm run bench -- ${process.argv.slice(2).join(' ')}`,
  );
  if (values.quick) console.log('A quick run: these figures mean nothing.');
  console.log(`\n${tableOf(figures)}`);
  return holds ? 0 : 1;
}

let stage: Promise<Stage> | undefined;
let isStopped = false;

/** Each on a control plane of its own, so that no one measures what another left. */
async function measured({ latencyMs, measure }: Part, options: PeersOptions): Promise<Figure[]> {
  stage = openStage({ latencyMs, say: options.say });
  try {
    return await measure(await stage, options);
  } finally {
    await end();
  }
}

async function end(): Promise<void> {
  killAll();
  const open = stage;
  stage = undefined;
  // One that did not open has said so, and has nothing to close.
  await (await open?.catch(() => undefined))?.close();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // Not once: what starts the control plane ends this process where nobody else listens.
  process.on(signal, () => {
    isStopped = true;
    void end().finally(() => process.exit(130));
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!isStopped) console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
