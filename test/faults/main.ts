import { BUILD, runLoudly, runQuietly, VITEST } from '../steps.ts';

const TESTS = [...VITEST, '--project', 'faults'];

/**
 * The whole fault suite. What is given on the command line goes to
 * vitest.
 */
async function main(chosen: readonly string[]): Promise<boolean> {
  console.log('Building what the tests run:');
  if (!(await runQuietly(BUILD))) return false;
  if (!(await runLoudly(['test/controlplane/main.ts', '--prepare']))) return false;
  return runLoudly([...TESTS, ...chosen]);
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
