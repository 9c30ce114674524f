import { findBinaries } from '../controlplane/binaries.ts';
import { FOR_PACKAGING, findProgram } from '../controlplane/programs.ts';
import { progressLines } from '../controlplane/progress.ts';
import { BUILD, runLoudly, runQuietly, VITEST } from '../steps.ts';
import { Timetable } from '../timetable.ts';

const TESTS = [...VITEST, '--project', 'packaging'];

/**
 * What holds chart, manifests, monitoring, image and the states that others read. What is given on
 * the command line goes to vitest, and then a chosen test builds what it needs.
 */
async function main(chosen: readonly string[]): Promise<boolean> {
  const times = new Timetable('npm run test:packaging');
  if (!(await times.part(BUILD.name, () => runQuietly(BUILD)))) return false;
  if (chosen.length > 0) return runLoudly([...TESTS, ...chosen]);
  await times.part('building programs', prepare);
  const holds = await times.part('tests', () => runLoudly(TESTS));
  console.log(`\n${times.lines().join('\n')}`);
  return holds;
}

async function prepare(): Promise<void> {
  const say = progressLines();
  await findBinaries({ say });
  for (const name of FOR_PACKAGING) await findProgram(name, { say });
}

try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
