import { BUILD, runLoudly, runQuietly } from '../steps.ts';
import { unpackBefore } from './before.ts';

const VITEST = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/upgrade/vitest.config.ts',
];

/**
 * From the version before to this one and back, and the oldest Kubernetes. What is given on the
 * command line goes to vitest.
 */
async function main(chosen: readonly string[]): Promise<boolean> {
  console.log('Building what the tests run:');
  if (!(await runQuietly(BUILD))) return false;
  unpackBefore();
  if (!(await runLoudly(['test/controlplane/main.ts', '--prepare', '--floor']))) return false;
  return runLoudly([...VITEST, ...chosen]);
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
