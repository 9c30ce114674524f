import { listObjects, type Scope } from '../cluster/objects.ts';
import { type Context, type ExitCode, type ScopeFlags, scopeOf } from '../command.ts';
import { inOrder, itemOf, noneIn, type Row, rowOf } from './rows.ts';
import { screenOf } from './screen.ts';
import { watchStatus } from './watch.ts';

export interface StatusFlags extends ScopeFlags {
  readonly output: 'text' | 'json';
  readonly watch?: boolean;
  readonly check?: boolean;
}

export async function status(
  context: Context,
  _words: readonly string[],
  flags: StatusFlags,
): Promise<ExitCode> {
  const scope = await scopeOf(context.kubectl, flags);
  if (flags.watch === true)
    return watchStatus(context, scope, {
      json: flags.output === 'json',
      check: flags.check === true,
    });
  const rows = inOrder((await listObjects(context.kubectl, scope)).map(rowOf));
  show(context, scope, { rows, json: flags.output === 'json' });
  return flags.check === true && rows.some(({ standing }) => !standing.ready) ? 2 : 0;
}

function show(
  { terminal, clock }: Context,
  scope: Scope,
  { rows, json }: { readonly rows: readonly Row[]; readonly json: boolean },
): void {
  if (json) terminal.document(JSON.stringify({ items: rows.map(itemOf) }, undefined, 2));
  else if (rows.length === 0) terminal.tell(noneIn(scope));
  else
    for (const line of screenOf(rows, { terminal, scope, now: clock.now() })) terminal.print(line);
}
