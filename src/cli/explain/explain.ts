import { getObject, parseObjectName } from '../cluster/objects.ts';
import { type Context, type ExitCode, namespaceOf, type ScopeFlags } from '../command.ts';
import { createShell } from '../shell.ts';
import { factsOf } from './facts.ts';
import { storyOf } from './story.ts';

export interface ExplainFlags extends ScopeFlags {
  readonly output: 'text' | 'json';
}

export async function explain(
  { kubectl, terminal, clock }: Context,
  words: readonly string[],
  flags: ExplainFlags,
): Promise<ExitCode> {
  const name = parseObjectName(words);
  const found = await getObject(kubectl, name, await namespaceOf(kubectl, flags));
  const facts = factsOf(found);
  if (flags.output === 'json') {
    terminal.document(JSON.stringify(facts, undefined, 2));
    return 0;
  }
  const { title, sections } = storyOf(facts, clock.now(), createShell(flags));
  terminal.print(terminal.styled('bold', title));
  for (const { heading, lines } of sections) {
    terminal.print('');
    terminal.print(terminal.styled('bold', heading));
    for (const line of lines) terminal.print(`  ${line}`.trimEnd());
  }
  return 0;
}
