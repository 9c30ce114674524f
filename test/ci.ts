import { BUDGET, PARTS } from './ci-parts.ts';
import { presentBinaries } from './controlplane/binaries.ts';
import { missingPrograms } from './controlplane/programs.ts';
import { runLoudly } from './steps.ts';
import { Timetable } from './timetable.ts';

/** Runs each part as its script says, ends with the first that fails, and tells what each took. */
async function main(): Promise<boolean> {
  const isFresh = missingPrograms().length > 0 || (await presentBinaries()) === undefined;
  const times = new Timetable({ command: '.ci/run', budget: BUDGET, isFresh });
  let holds = true;
  for (const { npm, budget } of PARTS) {
    const [script, ...args] = npm;
    const command = ['run', script, ...(args.length > 0 ? ['--', ...args] : [])];
    const name = `npm ${command.join(' ')}`;
    holds = await times.part(name, () => runLoudly(command, 'npm'), { budget });
    if (holds) continue;
    console.log(`\n${name} failed`);
    break;
  }
  console.log(`\n${times.lines().join('\n')}`);
  return holds;
}

process.exitCode = (await main()) ? 0 : 1;
