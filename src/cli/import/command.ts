import { Command } from 'commander';
import { inNamespace, starting } from '../start.ts';
import type { FromStatusFlags } from './from-status.ts';
import type { OrganizationFlags } from './organization.ts';
import type { PipeFlags } from './pipe.ts';

/** What is already there, as a manifest on stdout. */
export function importCommand(): Command {
  const command = inNamespace(new Command('import'))
    .description(
      'A manifest of what exists already, on stdout. Exits 2 when something was left out of it, which stderr names.',
    )
    // What stands behind a subcommand is the subcommand's.
    .enablePositionalOptions()
    .option(
      '--from-status <object>',
      'the manifest of a live object, such as pset/orders, completed by what its last reply showed',
    )
    .action(
      starting<FromStatusFlags>(async (context, words, flags) => {
        const { importFromStatus } = await import('./from-status.ts');
        return importFromStatus(context, words, flags);
      }),
    );
  for (const one of [organizationCommand(), pipeCommand()])
    command.addCommand(one.copyInheritedSettings(command));
  return command;
}

function organizationCommand(): Command {
  return withKeyAndName(new Command('organization'), 'name at the API')
    .description(
      'An Organization with its name and all its private endpoints. The API shows them only in the reply to a PATCH: one that changes nothing is sent, once.',
    )
    .argument('<id>', 'the id of the organization')
    .option('--api-url <url>', 'base address of the management API; or PIPEWRIGHT_API_URL')
    .option('--api-ca-file <file>', 'PEM file of CA certificates to trust for it')
    .option('--api-timeout <time>', 'timeout of the call, such as 35s')
    .option('--api-allow-http', 'allow an address with http that is not on loopback')
    .option(
      '--organization-name <name>',
      'for an API that refuses the PATCH that changes nothing: send this name in its place. It must be the present one; another one renames the organization',
    )
    .option('--key-id-key <key>', 'the key in the Secret that holds the key id')
    .option('--key-secret-key <key>', 'the key in the Secret that holds the key secret')
    .addHelpText(
      'after',
      '\nWithout --secret, the key is taken from PIPEWRIGHT_KEY_ID and PIPEWRIGHT_KEY_SECRET.',
    )
    .action(
      starting<OrganizationFlags>(async (context, words, flags) => {
        const { importOrganization } = await import('./organization.ts');
        return importOrganization(context, words, flags);
      }),
    );
}

function pipeCommand(): Command {
  return withKeyAndName(new Command('pipe'), 'id of the pipe')
    .description(
      'A PipeSettings to fill in, in mode Plan. The settings of a pipe cannot be read without a write, so no call is made.',
    )
    .argument('<organization>', 'the id of the organization')
    .argument('<service>', 'the id of the service')
    .argument('<pipe>', 'the id of the pipe')
    .action(
      starting<PipeFlags>(async (context, words, flags) => {
        const { importPipe } = await import('./pipe.ts');
        return importPipe(context, words, flags);
      }),
    );
}

function withKeyAndName(command: Command, nameFrom: string): Command {
  return inNamespace(command)
    .option(
      '--secret <name>',
      'the Secret with the API key, in the same namespace; absent: the manifest names management-api',
    )
    .option('--name <name>', `the name of the object; absent: one made from the ${nameFrom}`);
}
