import { BUILD, runLoudly, runQuietly, type Step } from './steps.ts';

/** Whole programs, run after the tests as a user runs them. */
const PROGRAMS: readonly Step[] = [
  {
    name: 'demo, told once',
    run: ['test/demo/main.ts', '--once'],
    mend: 'see which step of the story failed',
  },
  {
    name: 'bench, small counts',
    run: ['test/bench/main.ts', '--quick'],
    mend: 'see which measurement did not run',
  },
];

/**
 * Lives of the operator on simulated time: fixed seeds for a minute, and a small scope with every
 * interleaving.
 */
const HUNTS: readonly (readonly string[])[] = [
  ['--from', '1', '--lives', '8900', '--seconds', '60'],
  ['--scope', '3'],
];

/**
 * Everything that must pass. What is given on the command line goes to vitest, and then only vitest
 * runs.
 */
async function main(chosen: readonly string[]): Promise<boolean> {
  console.log('Building what the tests run:');
  if (!(await runQuietly(BUILD))) return false;
  if (!(await runLoudly(['test/controlplane/main.ts', '--prepare', '--all']))) return false;
  const parts = chosen.length > 0 ? chosen : ['--project', 'unit', '--project', 'integration'];
  const vitest = [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/vitest.config.ts',
    ...parts,
  ];
  if (!(await runLoudly(vitest))) return false;
  if (chosen.length > 0) return true;
  for (const hunt of HUNTS) {
    console.log(`Hunting, ${hunt.join(' ')}:`);
    if (!(await runLoudly(['test/simulation/hunt/main.ts', ...hunt]))) return false;
  }
  console.log('Running the programs that users run:');
  for (const program of PROGRAMS) if (!(await runQuietly(program))) return false;
  return true;
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
