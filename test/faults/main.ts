import { BUILD, runLoudly, runQuietly } from '../steps.ts';

const VITEST = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/vitest.config.ts',
  '--project',
  'faults',
];

/**
 * The whole fault suite. What is given on the command line goes to
 * vitest.
 */
async function main(chosen: readonly string[]): Promise<boolean> {
  console.log('Building what the tests run:');
  if (!(await runQuietly(BUILD))) return false;
  if (!(await runLoudly(['test/controlplane/main.ts', '--prepare']))) return false;
  return runLoudly([...VITEST, ...chosen]);
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
