import { parseArgs } from 'node:util';
import { progressLines } from '../controlplane/progress.ts';
import { BUILD, runQuietly } from '../steps.ts';
import { type Figure, tableOf } from './figures.ts';
import { measureLatency } from './latency.ts';
import { describeMachine } from './machine.ts';
import { measureMemory } from './memory.ts';
import { measurePlugin } from './plugin.ts';
import { killAll } from './processes.ts';
import { measureSettle } from './settle.ts';
import { openStage, type Stage } from './stage.ts';

const usage = `Usage: node test/bench/main.ts [latency] [settle] [memory] [plugin] [--quick]
  (none)    all four, about 16 minutes
  latency   from the change of a spec to its PUT
  settle    how fast new objects become Ready, and how soon after its start the operator sends
  memory    of the bundle at rest
  plugin    kubectl pipewright against kubectl; exits 1 where it is slower than its bounds
  --quick   a few objects and edits, to see that it works; the figures mean nothing`;

type Options = { readonly quick: boolean; readonly say: (line: string) => void };
type Benchmark = {
  readonly latencyMs: number;
  readonly measure: (stage: Stage, options: Options) => Promise<Figure[]>;
  /** A goal that is not met is a failure; absent: the figures are for people to judge. */
  readonly isBinding?: true;
};

const benchmarks: Readonly<Record<string, Benchmark>> = {
  latency: { latencyMs: 0, measure: measureLatency },
  settle: { latencyMs: 20, measure: measureSettle },
  memory: { latencyMs: 0, measure: measureMemory },
  plugin: { latencyMs: 0, measure: measurePlugin, isBinding: true },
};

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const names = positionals.length > 0 ? positionals : Object.keys(benchmarks);
  const unknown = names.filter((name) => !Object.hasOwn(benchmarks, name));
  if (values.help || unknown.length > 0) {
    console.error(
      unknown.length > 0 ? `There is no benchmark ${unknown.join(', ')}.\n${usage}` : usage,
    );
    return values.help ? 0 : 2;
  }
  if (!(await runQuietly(BUILD))) return 1;
  const say = progressLines();
  const figures: Figure[] = [];
  let holds = true;
  for (const name of names) {
    const benchmark = benchmarks[name];
    if (!benchmark) continue;
    const found = await measured(benchmark, { quick: values.quick, say });
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

let stage: Stage | undefined;

/** Each on a control plane of its own, so that no one measures what another left. */
async function measured({ latencyMs, measure }: Benchmark, options: Options): Promise<Figure[]> {
  stage = await openStage({ latencyMs, say: options.say });
  try {
    return await measure(stage, options);
  } finally {
    await end();
  }
}

async function end(): Promise<void> {
  killAll();
  const open = stage;
  stage = undefined;
  await open?.close();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void end().finally(() => process.exit(130)));
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
