import { Command, Option } from 'commander';
import { inScope, starting } from '../start.ts';
import type { RequestFlags } from './request.ts';
import type { Verb } from './verbs.ts';

/** What a person asks of the operator. */
export function requestCommands(): readonly Command[] {
  return [
    requestCommand(
      'retry',
      'Ask the operator to try again now. It never overrides suspend, mode Plan or a conflict.',
    ).option('--reason <reason>', 'only objects whose Ready condition has this reason'),
    requestCommand('suspend', 'Set spec.suspend: no call is made for the object until resume.'),
    requestCommand('resume', 'Take spec.suspend away.'),
  ];
}

function requestCommand(verb: Verb, about: string): Command {
  return inScope(new Command(verb))
    .description(
      `${about} With --wait, exits 2 when an object is not ${verb === 'suspend' ? 'suspended' : 'Ready'} at the end.`,
    )
    .argument(
      '[objects...]',
      'objects such as pset/orders, or a kind and names; with --all or -l a kind, or nothing for all kinds',
    )
    .option('--all', 'all objects of the namespace, or with -A of all namespaces')
    .option('--wait', 'wait until the operator has acted')
    .option('--timeout <time>', 'with --wait: how long at most, 1s to 24h', '5m')
    .addOption(
      new Option('-o, --output <format>', 'text or json').choices(['text', 'json']).default('text'),
    )
    .action(
      starting<RequestFlags>(async (context, words, flags) => {
        const { request } = await import('./request.ts');
        return request(context, { verb, words, flags });
      }),
    );
}
