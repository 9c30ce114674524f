import { BUDGET, type Part, STAGES } from './ci-parts.ts';
import { presentBinaries } from './controlplane/binaries.ts';
import { missingPrograms } from './controlplane/programs.ts';
import { runLoudly } from './steps.ts';
import { Timetable } from './timetable.ts';

/** Of what runs behind something else. */
const BEHIND = 10;

/**
 * Runs each part as its script says, begins none after one has failed, and tells what each took.
 */
async function main(): Promise<boolean> {
  const isFresh = missingPrograms().length > 0 || (await presentBinaries()) === undefined;
  const times = new Timetable({ command: '.ci/run', budget: BUDGET, isFresh });
  const failed: string[] = [];
  const row = async (parts: readonly Part[], priority?: number): Promise<void> => {
    for (const { npm, budget } of parts) {
      if (failed.length > 0) return;
      const [script, ...args] = npm;
      const command = ['run', script, ...(args.length > 0 ? ['--', ...args] : [])];
      const name = `npm ${command.join(' ')}`;
      const run = () => runLoudly(command, { program: 'npm', priority });
      if (!(await times.part(name, run, { budget }))) failed.push(name);
    }
  };
  for (const { parts, behind = [] } of STAGES) await Promise.all([row(parts), row(behind, BEHIND)]);
  console.log(`\n${times.lines().join('\n')}`);
  for (const name of failed) console.log(`FAILED: ${name}`);
  return failed.length === 0;
}

process.exitCode = (await main()) ? 0 : 1;
