import { Command } from 'commander';
import { processTerminal } from '../terminal.ts';

export function crdsCommand(): Command {
  return new Command('crds')
    .description(
      'Prints the custom resource definitions of this version, for kubectl apply --server-side --force-conflicts -f -.',
    )
    .action(async () => {
      const { crds } = await import('./crds.ts');
      processTerminal().document(crds());
    });
}
