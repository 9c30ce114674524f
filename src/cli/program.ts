import { Command, CommanderError, Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { systemClock } from '../clock.ts';
import { printable } from '../text.ts';
import type { Context, Outcome } from './command.ts';
import { type ConnectionFlags, createKubectl } from './kubectl.ts';
import { UserError } from './user-error.ts';

type Run<Flags> = (context: Context, names: readonly string[], flags: Flags) => Promise<Outcome>;

/**
 * Runs the command that the arguments name and gives the exit code. What goes wrong is said on
 * stderr.
 */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let exitCode = 0;
  const program = new Command('kubectl pipewright')
    .description('What Pipewright will do, has done, and waits for.')
    .version(packageJson.version, '--version', 'print the version')
    .exitOverride()
    .addHelpText('after', '\nExit codes: 0 fine, 1 an error, 2 a finding (see each command).');
  const running: Running =
    (load) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const { lines, notes = [], code } = await run(await load(), command);
      for (const line of lines) process.stdout.write(`${printable(line)}\n`);
      for (const line of notes) process.stderr.write(`${printable(line)}\n`);
      exitCode = code;
    };
  for (const add of [addPlan, addStatus, addExport, addRequests, addCheck]) add(program, running);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    process.stderr.write(`error: ${printable(messageOf(error))}\n`);
    return 1;
  }
}

/** What only one command needs is imported when it runs: help comes as fast as kubectl's. */
type Running = (load: () => Promise<Run<never>>) => (...given: unknown[]) => Promise<void>;

function run(action: Run<never>, command: Command): Promise<Outcome> {
  const flags = command.optsWithGlobals<ConnectionFlags>();
  const names = command.processedArgs.flat().filter((one): one is string => one !== undefined);
  const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
  const context = { kubectl: createKubectl(flags), now: () => systemClock.now(), columns };
  return action(context, names, flags as never);
}

function messageOf(error: unknown): string {
  if (error instanceof UserError) return error.message;
  const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `a bug of kubectl pipewright ${packageJson.version}; please report it with the command and this: ${what}`;
}

/** The flags with which kubectl finds its cluster and namespace. */
function inNamespace(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'the kubeconfig to use, as for kubectl')
    .option('--context <name>', 'the context of the kubeconfig to use, as for kubectl')
    .option('-n, --namespace <name>', 'the namespace; absent: that of the kubeconfig');
}

/** The flags of a command about many objects. */
function inScope(command: Command): Command {
  return inNamespace(command)
    .option('-A, --all-namespaces', 'all namespaces')
    .option('-l, --selector <labels>', 'only objects with these labels, as for kubectl');
}

function addPlan(program: Command, running: Running): void {
  inNamespace(program.command('plan'))
    .description(
      'show what the operator would send if the manifests were applied; exit 2 if it would send anything',
    )
    .requiredOption('-f, --filename <file...>', 'files, folders, or - for stdin')
    .addOption(
      new Option('--dry-run <how>', 'server: ask the API server, compare with the live objects')
        .choices(['none', 'server'])
        .default('none'),
    )
    .addOption(
      new Option('-o, --output <format>', 'what to print; markdown is for a pull request')
        .choices(['text', 'json', 'markdown'])
        .default('text'),
    )
    .action(running(async () => (await import('./plan/plan.ts')).runPlan));
}

function addStatus(program: Command, running: Running): void {
  inScope(program.command('status'))
    .description('show all objects, those that need a person first; or one in detail')
    .argument('[KIND/NAME]', 'the object to show in detail, such as pset/orders')
    .option('--check', 'exit 2 where something is not Ready or needs a person')
    .action(running(async () => (await import('./status/status.ts')).runStatus));
}

function addExport(program: Command, running: Running): void {
  inNamespace(program.command('export'))
    .description('print an object as a manifest, completed from what the last reply showed')
    .argument('<KIND/NAME>', 'a PipeSettings or Organization, such as porg/acme')
    .action(running(async () => (await import('./export/export.ts')).runExport));
}

function addRequests(program: Command, running: Running): void {
  const about = {
    retry: 'ask the operator to try now',
    suspend: 'set spec.suspend, so that no call is made',
    resume: 'take spec.suspend off again',
  };
  for (const [verb, description] of Object.entries(about))
    inScope(program.command(verb))
      .description(description)
      .argument('[KIND/NAME...]', 'the objects, such as pset/orders; or use -l or -A')
      .option('--wait', 'wait until the operator has answered, and say what came out')
      .option('--timeout <duration>', 'how long to wait, as for kubectl wait', '60s')
      .action(
        running(async () => {
          const { runRequest } = await import('./request/request.ts');
          return (...given) => runRequest(verb as keyof typeof about, ...given);
        }),
      );
}

function addCheck(program: Command, running: Running): void {
  inScope(program.command('check'))
    .description('check the installation; exit 2 if something is wrong')
    .option('--operator-namespace <name>', 'where the operator runs', 'pipewright')
    .action(running(async () => (await import('./check/check.ts')).runCheck));
}
