import type { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { systemClock } from '../clock.ts';
import { type ConnectionFlags, createKubectl } from './cluster/kubectl.ts';
import { type Context, checkFlags, type ExitCode } from './command.ts';
import { processTerminal } from './terminal.ts';
import { exitCodeOf } from './user-error.ts';

/** The version of plugin and operator alike. */
export const VERSION: string = packageJson.version;

/** What a command does. Throws UserError for what the user can mend. */
export type Run<Flags> = (
  context: Context,
  words: readonly string[],
  flags: Flags,
) => Promise<ExitCode>;

/** What ends the plugin ends the kubectl that it has started too. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** An action for commander: `words` are the arguments, those of a list among them. */
export function starting<Flags extends ConnectionFlags>(run: Run<Flags>) {
  return async (...given: unknown[]): Promise<void> => {
    const command = given.at(-1) as Command;
    const flags = command.optsWithGlobals<Flags>();
    const words = command.processedArgs.flat().filter((word): word is string => word !== undefined);
    const stop = new AbortController();
    const onSignal = (signal: NodeJS.Signals): void =>
      stop.signal.aborted ? process.exit(exitCodeOf(signal)) : stop.abort(signal);
    for (const signal of SIGNALS) process.on(signal, onSignal);
    try {
      checkFlags(flags);
      const base = { terminal: processTerminal(), clock: systemClock, stop: stop.signal };
      const kubectl = createKubectl(flags, base);
      process.exitCode = await run(
        { ...base, kubectl, version: VERSION, env: process.env },
        words,
        flags,
      );
    } finally {
      for (const signal of SIGNALS) process.off(signal, onSignal);
    }
  };
}

/** The flags with which kubectl finds its cluster. */
function withConnection(command: Command): Command {
  return command
    .option('--kubeconfig <file>', 'the kubeconfig to use, as for kubectl')
    .option('--context <name>', 'the context of the kubeconfig to use, as for kubectl');
}

/** The flags of a command about the objects of one namespace. */
export function inNamespace(command: Command): Command {
  return withConnection(command).option(
    '-n, --namespace <name>',
    'the namespace; absent: that of the kubeconfig',
  );
}

/** The flags of a command about many objects. */
export function inScope(command: Command): Command {
  return inNamespace(command)
    .option('-A, --all-namespaces', 'all namespaces')
    .option('-l, --selector <labels>', 'only objects with these labels, as for kubectl');
}
