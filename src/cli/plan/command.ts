import { Command } from 'commander';
import { inNamespace, starting } from '../start.ts';
import type { PlanFlags } from './plan.ts';

export function planCommand(): Command {
  return inNamespace(new Command('plan'))
    .description(
      'What applying manifests would send to the management API, before it is applied. Exits 2 when something would be sent.',
    )
    .requiredOption('-f, --filename <path...>', 'files or folders; - is stdin')
    .option('--offline', 'by the schemas alone, without a cluster')
    .option(
      '--dry-run <how>',
      'server, the default: the API server says what it would store; none: by reading alone',
    )
    .option('--server-side', 'as kubectl apply --server-side does')
    .option('--force-conflicts', 'with --server-side: as kubectl has it')
    .option('--api-url <address>', "base address of the management API; absent: the operator's")
    .option('--operator-namespace <name>', 'where to look for the operator; absent: everywhere')
    .option('-o, --output <format>', 'text, json or markdown', 'text')
    .option('--prune', 'also say what the absence of an object means; with -l')
    .option('-l, --selector <labels>', 'with --prune: the objects that belong to these manifests')
    .action(
      starting<PlanFlags>(async (context, _words, flags) => {
        const { plan } = await import('./plan.ts');
        return plan(context, flags);
      }),
    );
}
