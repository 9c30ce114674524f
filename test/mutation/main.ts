import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { changed, copyProject } from './copy.ts';
import type { Mutation } from './mutation.ts';
import { API } from './rules/api.ts';
import { CONTROLLER } from './rules/controller.ts';
import { KINDS } from './rules/kinds.ts';
import { KUBE } from './rules/kube.ts';
import { PROCESS } from './rules/process.ts';
import { endTests, runTests } from './tests.ts';

const MUTATIONS = [...API, ...CONTROLLER, ...KUBE, ...KINDS, ...PROCESS];
const USAGE = `Usage: npm run mutate -- [options]
  --only TEXT     only rules in whose sentence, file or test it stands
  --list          the rules, and what sees each of them broken; nothing is run`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const chosen = MUTATIONS.filter(({ name, file, seenBy }) =>
    [name, file, seenBy.test, seenBy.title].some((one) => one.includes(values.only)),
  );
  if (values.help) console.log(USAGE);
  else if (chosen.length === 0) console.log(`There is no rule with "${values.only}".`);
  else if (values.list) for (const mutation of chosen) console.log(entryOf(mutation));
  else return mutate(chosen);
  return chosen.length === 0 ? 1 : 0;
}

function entryOf({ name, file, from, to, seenBy }: Mutation): string {
  const change = `  - ${from}\n  + ${to}\n  seen by ${seenBy.test}: ${seenBy.title}\n`;
  return `${name}\n  src/${file}\n${change}`;
}

async function mutate(mutations: readonly Mutation[]): Promise<number> {
  const copies = [copyProject(), copyProject()];
  process.once('exit', () => {
    endTests();
    for (const copy of copies) rmSync(copy, { recursive: true, force: true });
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => process.exit(130));
  console.log(`${mutations.length} rules; first, what is named must hold without any change`);
  const wrong = await judgeUnchanged(mutations, copies[0] ?? '');
  const left = mutations.values();
  let seen = 0;
  const work = async (copy: string): Promise<void> => {
    for (const mutation of left) {
      const started = performance.now();
      const why = wrong.get(mutation) ?? (await judge(mutation, copy));
      const took = `${((performance.now() - started) / 1_000).toFixed(1)} s`;
      console.log(`  ${why === undefined ? 'ok  ' : 'FAIL'}  ${mutation.name} (${took})`);
      if (why === undefined) seen += 1;
      else console.log(`        ${why}`);
    }
  };
  await Promise.all(copies.map(work));
  console.log(`${seen} of ${mutations.length} rules seen broken`);
  return seen === mutations.length ? 0 : 1;
}

/** What does not hold without any change, of each mutation. */
async function judgeUnchanged(mutations: readonly Mutation[], copy: string) {
  const endsOf = await runTests(copy, mutations);
  const wrong = new Map<Mutation, string>();
  for (const mutation of mutations) {
    const ends = endsOf(mutation);
    if (ends.length > 0 && ends.every(({ status }) => status === 'passed')) continue;
    const { test, title } = mutation.seenBy;
    wrong.set(mutation, `unchanged, ${ends.length} tests "${title}" are in ${test}, or one fails`);
  }
  return wrong;
}

/** An assertion that did not hold, of a test by itself, of a poll, or of a property. */
const ASSERTION = /AssertionError|failed by returning false/;

/** Makes the change in a copy. Undefined: what is named fails as it should; else what happened. */
async function judge(mutation: Mutation, copy: string): Promise<string | undefined> {
  try {
    const endsOf = await changed(copy, mutation, () => runTests(copy, [mutation]));
    const errors = endsOf(mutation).flatMap(({ failureMessages }) => failureMessages);
    if (errors.length === 0) return 'it survives: the test passes';
    if (errors.some((error) => ASSERTION.test(error))) return undefined;
    return `the test fails by no assertion: ${errors[0]?.split('\n', 1)[0]}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

process.exitCode = await main().catch((error: unknown) => {
  console.error(error instanceof Error ? `${error.message}\n${USAGE}` : error);
  return 2;
});
