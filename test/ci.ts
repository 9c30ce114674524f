import { BUDGET, type Part, STAGES } from './ci-parts.ts';
import { presentBinaries } from './controlplane/binaries.ts';
import { missingPrograms } from './controlplane/programs.ts';
import { FailureLines } from './failure-lines.ts';
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
  const failed = new Map<string, FailureLines>();
  const row = async (parts: readonly Part[], priority?: number): Promise<void> => {
    for (const { npm, budget } of parts) {
      if (failed.size > 0) return;
      const [script, ...args] = npm;
      const command = ['run', script, ...(args.length > 0 ? ['--', ...args] : [])];
      const name = `npm ${command.join(' ')}`;
      const said = new FailureLines();
      const onLine = (line: string): void => said.take(line);
      const run = () => runLoudly(command, { program: 'npm', priority, onLine });
      if (!(await times.part(name, run, { budget }))) failed.set(name, said);
    }
  };
  for (const { parts, behind = [] } of STAGES) await Promise.all([row(parts), row(behind, BEHIND)]);
  console.log(`\n${times.lines().join('\n')}`);
  // At the very end, as that is what is read first, or kept alone.
  for (const [name, said] of failed) {
    for (const line of said.lines()) console.log(`  ${line}`);
    console.log(`FAILED: ${name}`);
  }
  return failed.size === 0;
}

process.exitCode = (await main()) ? 0 : 1;
