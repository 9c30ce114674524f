import { existsSync } from 'node:fs';
import { BUNDLES } from './bundles.ts';
import { type Part, runParts } from './parts.ts';

/** Projects of vitest that need no bundle: one that is made anew is not there for a moment. */
const WITHOUT_BUNDLE = ['tables', 'planted'];

function vitest(...args: readonly string[]): readonly string[] {
  return ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...args];
}

export function projects(...names: readonly string[]): readonly string[] {
  return vitest(...names.flatMap((name) => ['--project', name]));
}

export function hunt(...args: readonly string[]): readonly string[] {
  return ['test/simulation/hunt/main.ts', ...args];
}

export function prepare(name: string, ...what: readonly string[]): Part {
  return { name, run: ['test/controlplane/main.ts', '--prepare', ...what] };
}

/**
 * What holds the rules of the product. The cluster tests mostly wait, so that lives on simulated
 * time have a processor behind them; lives are counted, as a given time would be spent in waiting.
 */
export const TESTS: readonly Part[] = [
  BUNDLES,
  prepare('control plane'),
  { name: 'tables', run: projects('tables') },
  {
    name: 'cluster',
    run: projects('cluster'),
    after: ['bundles', 'control plane', 'tables'],
  },
  { name: 'sweep', run: hunt('--sweep'), after: ['tables'], isBehind: true },
  { name: 'seeds', run: hunt('--from', '1', '--lives', '150'), after: ['sweep'], isBehind: true },
];

/** With arguments, vitest alone gets them, after what it needs is made. */
function chosen(args: readonly string[]): readonly Part[] {
  // Beside a file that is there, vitest says nothing of one that is not.
  const missing = args.find((one) => one.startsWith('test/') && !existsSync(one));
  if (missing !== undefined) {
    console.error(`FAIL  ${missing} is not there`);
    process.exit(1);
  }
  const named = args.flatMap((one, at) =>
    one === '--project' ? (args[at + 1] ?? []) : (/^--project=(.*)/.exec(one)?.[1] ?? []),
  );
  const needed = [
    ...(named.some((one) => WITHOUT_BUNDLE.includes(one)) ? [] : [BUNDLES]),
    ...(named.includes('packaging') ? [prepare('programs', 'packaging')] : []),
  ];
  const after = needed.map(({ name }) => name);
  return [...needed, { name: 'vitest', run: vitest(...args), after, output: 'terminal' }];
}

if (import.meta.main) {
  const args = process.argv.slice(2);
  process.exitCode = (await runParts(args.length > 0 ? chosen(args) : TESTS)) ? 0 : 1;
}
