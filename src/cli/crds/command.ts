import { Command } from 'commander';
import { definitions } from '../../kinds/definitions.ts';
import { customResourceDefinition } from '../../kinds/schema/manifest.ts';
import { processTerminal } from '../terminal.ts';
import { toYaml } from '../yaml.ts';

export function crdsCommand(): Command {
  return new Command('crds')
    .description(
      'Prints the custom resource definitions of this version, for kubectl apply --server-side --force-conflicts -f -.',
    )
    .action(() => {
      const documents = definitions.map((one) => toYaml(customResourceDefinition(one)));
      processTerminal().print(documents.join('---\n').trimEnd());
    });
}
