import { Command } from 'commander';
import { inScope, starting } from '../start.ts';
import type { BundleFlags } from './bundle.ts';

export function bundleCommand(): Command {
  return inScope(new Command('bundle'))
    .description(
      'Packs what a support case needs into one file: objects, events, log and metrics of the operator, versions. It holds no Secret and nothing of what an Activity recorded, and known keys are masked. Prints what is in it. Exits 2 when something could not be had.',
    )
    .option('-f, --file <file>', 'the .tar.gz to write; absent: pipewright-bundle-TIME.tar.gz here')
    .option('--operator-namespace <name>', 'where the operator runs; absent: it is looked for')
    .action(
      starting<BundleFlags>(async (context, words, flags) => {
        const { bundle } = await import('./bundle.ts');
        return bundle(context, words, flags);
      }),
    );
}
