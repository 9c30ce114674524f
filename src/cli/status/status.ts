import { definitions } from '../../kinds/definitions.ts';
import { isForbidden, type KubectlError } from '../cluster/kubectl.ts';
import { type Found, listObjects, type Scope } from '../cluster/objects.ts';
import { type Context, type ExitCode, type ScopeFlags, scopeOf } from '../command.ts';
import { inOrder, itemOf, noneIn, type Row, rowOf } from './rows.ts';
import { screenOf } from './screen.ts';
import { notShown, watchStatus } from './watch.ts';

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
  const { found, refusals } = await listed(context, scope);
  const rows = inOrder(found.map(rowOf));
  for (const refusal of refusals) context.terminal.tell(notShown(refusal));
  show(context, scope, { rows, json: flags.output === 'json' });
  if (flags.check !== true) return 0;
  if (rows.some(({ standing }) => !standing.ready)) return 2;
  if (refusals[0]) throw refusals[0];
  return 0;
}

async function listed(
  { kubectl }: Context,
  scope: Scope,
): Promise<{ readonly found: readonly Found[]; readonly refusals: readonly KubectlError[] }> {
  const lists = await Promise.allSettled(
    definitions.map((definition) => listObjects(kubectl, scope, [definition])),
  );
  const refusals: KubectlError[] = [];
  const found: Found[] = [];
  for (const list of lists) {
    if (list.status === 'fulfilled') found.push(...list.value);
    else if (isForbidden(list.reason)) refusals.push(list.reason);
    else throw list.reason;
  }
  const [first] = refusals;
  if (first && refusals.length === lists.length) throw first;
  return { found, refusals };
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
