import { Command, Option } from 'commander';
import { inScope, starting } from '../start.ts';
import type { StatusFlags } from './status.ts';

export function statusCommand(): Command {
  return inScope(new Command('status'))
    .description(
      'One table of all objects, those that need a person first: how they stand, what the API has confirmed, what is next and why.',
    )
    .addOption(
      new Option('-o, --output <format>', 'text or json').choices(['text', 'json']).default('text'),
    )
    .option('-w, --watch', 'go on and show each change, until Ctrl-C, which ends it with 0')
    .option(
      '--check',
      'exit 2 when an object is not ready; with --watch: exit 0 as soon as all are, and 130 at Ctrl-C before that. Where there is no object, none is not ready: 0',
    )
    .action(
      starting<StatusFlags>(async (context, words, flags) => {
        const { status } = await import('./status.ts');
        return status(context, words, flags);
      }),
    );
}
