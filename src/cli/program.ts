import { Command, CommanderError } from 'commander';
import { printable } from '../api/reply/text.ts';
import { bundleCommand } from './bundle/command.ts';
import { crdsCommand } from './crds/command.ts';
import { doctorCommand } from './doctor/command.ts';
import { explainCommand } from './explain/command.ts';
import { importCommand } from './import/command.ts';
import { planCommand } from './plan/command.ts';
import { requestCommands } from './request/command.ts';
import { VERSION } from './start.ts';
import { statusCommand } from './status/command.ts';
import { Stopped, UserError } from './user-error.ts';

/**
 * Runs the command that the arguments name and gives the exit code: 0 fine, 1 an error, 2 "there is
 * something". What goes wrong is said on stderr.
 */
export async function runProgram(argv: readonly string[]): Promise<number> {
  const program = new Command('kubectl pipewright')
    .description(
      'What Pipewright will do, has done, and waits for: in a pull request, when something is not Ready, and when you move in or out.',
    )
    .version(VERSION, '--version', 'print the version')
    .exitOverride()
    .showHelpAfterError('(more: kubectl pipewright --help)')
    .addHelpText(
      'after',
      '\nExit codes: 0 fine, 1 an error, 2 "there is something" (each command\'s help says what), 130 ended by Ctrl-C.',
    );
  const commands = [
    statusCommand(),
    explainCommand(),
    planCommand(),
    importCommand(),
    ...requestCommands(),
    crdsCommand(),
    doctorCommand(),
    bundleCommand(),
  ];
  for (const command of commands) program.addCommand(command.copyInheritedSettings(program));
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    const isExpected = error instanceof UserError || error instanceof Stopped;
    // Ends of lines are ours: a text of others in a message is one line.
    const lines = (isExpected ? error.message : bug(error)).split('\n').map(printable);
    process.stderr.write(`error: ${lines.join('\n')}\n`);
    return error instanceof Stopped ? error.exitCode : 1;
  }
}

function bug(error: unknown): string {
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `a bug of kubectl pipewright ${VERSION}; please report it with the command and this:\n${what}`;
}
