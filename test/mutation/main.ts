import { parseArgs } from 'node:util';
import { type Copy, copyProject } from './copy.ts';
import { judge, judgeUnchanged } from './judge.ts';
import type { Mutation } from './mutation.ts';
import { MUTATIONS } from './table.ts';
import { endTests } from './unit-tests.ts';

const USAGE = `Usage: npm run mutate -- [options]
  --only TEXT     only rules in whose name, sentence, file or test it stands
  --list          the rules, and what sees each of them broken; nothing is run`;

interface Options {
  readonly only: string;
  readonly list: boolean;
}

async function main(): Promise<number> {
  const options = parseOptions(process.argv.slice(2));
  if (!options) {
    console.log(USAGE);
    return 0;
  }
  const chosen = MUTATIONS.filter((mutation) => isMeant(mutation, options));
  if (chosen.length === 0) {
    console.log(`There is no such rule with "${options.only}".`);
    return 1;
  }
  if (options.list) {
    for (const mutation of chosen) console.log(entryOf(mutation));
    return 0;
  }
  return mutate(chosen);
}

function parseOptions(args: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return values.help ? undefined : values;
}

function isMeant(mutation: Mutation, { only }: Options): boolean {
  const { name, rule, file } = mutation;
  return [name, rule, file, seenByOf(mutation)].some((one) => one.includes(only));
}

function entryOf(mutation: Mutation): string {
  const { name, rule, file, from, to } = mutation;
  const lines = [
    rule,
    `  src/${file}`,
    `  - ${from}`,
    `  + ${to}`,
    `  seen by ${seenByOf(mutation)}`,
  ];
  return [`${name}:`, ...lines, ''].join('\n');
}

function seenByOf({ seenBy }: Mutation): string {
  return `${seenBy.test}: ${seenBy.title}`;
}

async function mutate(mutations: readonly Mutation[]): Promise<number> {
  const started = performance.now();
  endWhenInterrupted();
  const { all, remove } = copyProject(2);
  const [first, second] = all;
  if (!first || !second) throw new Error('there are two copies');
  process.once('exit', () => {
    endTests();
    remove();
  });
  try {
    console.log(`${mutations.length} rules; first, what is named must hold without any change:`);
    const wrong = await judgeUnchanged(mutations, first);
    console.log(`  ${secondsSince(started)}`);
    const left = mutations.values();
    const failed: string[] = [];
    const work = async (copy: Copy): Promise<void> => {
      for (const mutation of left) {
        const since = performance.now();
        const why = wrong.get(mutation.name);
        const verdict = why === undefined ? await judge(mutation, copy) : { seen: false, why };
        if (!verdict.seen) failed.push(mutation.name);
        console.log(lineOf(mutation, verdict, secondsSince(since)));
      }
    };
    await Promise.all([work(first), work(second)]);
    const seen = mutations.length - failed.length;
    console.log(`${seen} of ${mutations.length} rules seen broken, ${secondsSince(started)}`);
    for (const name of failed) console.log(`  not ${name}`);
    return failed.length === 0 ? 0 : 1;
  } finally {
    remove();
  }
}

function lineOf(
  { name, rule }: Mutation,
  verdict: { readonly seen: boolean; readonly why?: string },
  took: string,
): string {
  if (verdict.seen) return `  ok    ${name}: ${rule} (${took})`;
  return `  FAIL  ${name}: ${rule} (${took})\n        ${verdict.why}`;
}

function secondsSince(started: number): string {
  return `${((performance.now() - started) / 1_000).toFixed(1)} s`;
}

/** In a way that still runs what is to be done at the end. */
function endWhenInterrupted(): void {
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)
    process.once(signal, () => process.exit(code));
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? `${error.message}\n${USAGE}` : error);
  return 2;
});
