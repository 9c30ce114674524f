import { STAGES } from './ci-parts.ts';
import { FailureLines } from './failure-lines.ts';
import { runLoudly } from './steps.ts';
import { Timetable } from './timetable.ts';

/** Of what runs behind something else. */
const BEHIND = 10;

/**
 * Runs each part as its script says, begins none after one has failed, and tells what each took.
 */
async function main(): Promise<boolean> {
  const times = new Timetable('.ci/run');
  const failed = new Map<string, FailureLines>();
  let passed = 0;
  const row = async (parts: readonly (readonly string[])[], priority?: number): Promise<void> => {
    for (const [script = '', ...args] of parts) {
      if (failed.size > 0) return;
      const command = ['run', script, ...(args.length > 0 ? ['--', ...args] : [])];
      const name = `npm ${command.join(' ')}`;
      const said = new FailureLines();
      const onLine = (line: string): void => said.take(line);
      const run = () => runLoudly(command, { program: 'npm', priority, onLine });
      if (await times.part(name, run)) passed += 1;
      else failed.set(name, said);
    }
  };
  for (const { parts, behind = [] } of STAGES) await Promise.all([row(parts), row(behind, BEHIND)]);
  console.log(`\n${times.lines().join('\n')}`);
  // At the very end, as that is what is read first, or kept alone.
  for (const [name, said] of failed) {
    for (const line of said.lines()) console.log(`  ${line}`);
    console.log(`FAILED: ${name}`);
  }
  console.log(`${passed} passed, ${failed.size} failed`);
  return failed.size === 0;
}

process.exitCode = (await main()) ? 0 : 1;
