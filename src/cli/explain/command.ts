import { Command, Option } from 'commander';
import { inNamespace, starting } from '../start.ts';
import type { ExplainFlags } from './explain.ts';

export function explainCommand(): Command {
  return inNamespace(new Command('explain'))
    .description(
      'The story of one object in plain words: what is declared, what the API confirmed, what was tried last, who has to act, and what happens next.',
    )
    .argument('<object...>', 'the object, as pset/NAME, porg/NAME or pact/NAME')
    .addOption(
      new Option('-o, --output <format>', 'text or json').choices(['text', 'json']).default('text'),
    )
    .action(
      starting<ExplainFlags>(async (context, words, flags) => {
        const { explain } = await import('./explain.ts');
        return explain(context, words, flags);
      }),
    );
}
