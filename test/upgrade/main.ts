import { BUILD, runLoudly, runQuietly } from '../steps.ts';
import { unpackBefore } from './before.ts';

const VITEST = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts'];
const PROJECTS = ['upgrade', 'upgrade-floor', 'floor'];

/** From the version before to this one and back, and the oldest Kubernetes. What is given on the command line goes to vitest. */
async function main(chosen: readonly string[]): Promise<boolean> {
  console.log('Building what the tests run:');
  if (!(await runQuietly(BUILD))) return false;
  unpackBefore();
  if (!(await runLoudly(['test/controlplane/main.ts', '--prepare', '--floor']))) return false;
  const parts = chosen.includes('--project') ? [] : PROJECTS.flatMap((name) => ['--project', name]);
  return runLoudly([...VITEST, ...parts, ...chosen]);
}

process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
