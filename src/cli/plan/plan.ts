import type { Context, Outcome } from '../command.ts';
import type { ConnectionFlags, Kubectl } from '../kubectl.ts';
import { checkScope } from '../objects.ts';
import { UserError } from '../user-error.ts';
import { readDocuments } from './documents.ts';
import { dryRun } from './dry-run.ts';
import { readSources } from './files.ts';
import { type Manifests, readManifests } from './manifests.ts';
import { markdown } from './markdown.ts';
import { plannedOf, sendsSomething } from './planned.ts';
import { complaint, json, text } from './print.ts';

export interface PlanFlags extends ConnectionFlags {
  readonly filename: readonly string[];
  readonly dryRun: 'none' | 'server';
  readonly output: 'text' | 'json' | 'markdown';
}

const FORMATS = { text, json, markdown } as const;

/** Shows what applying the files makes the operator send. */
export async function runPlan(
  { kubectl, now }: Context,
  _names: readonly string[],
  flags: PlanFlags,
): Promise<Outcome> {
  checkScope([], flags);
  const manifests = readManifests(readDocuments(await readSources(flags.filename)));
  const { ours, strays, skipped } = manifests;
  if (ours.length + strays.length === 0)
    throw new UserError(
      `${flags.filename.join(', ')}: there is no object of Pipewright in it (${skipped} of other kinds); name other files with -f`,
    );
  const valid = ours.filter(({ problems }) => problems.length === 0);
  const results =
    flags.dryRun === 'server' ? await dryRun(valid, kubectl, flags.namespace) : undefined;
  const namespace = await namespaceFor(manifests, kubectl, flags);
  const planned = plannedOf(manifests, { namespace, results, now: now() });
  const lines = FORMATS[flags.output](planned);
  const wrong = complaint(planned);
  if (wrong !== undefined) return { lines, notes: [wrong], code: 1 };
  return { lines, code: sendsSomething(planned) ? 2 : 0 };
}

/** Of objects that name none; kubectl is only asked where there is one. */
async function namespaceFor(
  { ours }: Manifests,
  kubectl: Kubectl,
  { namespace }: PlanFlags,
): Promise<string> {
  if (namespace !== undefined || ours.every((one) => one.namespace !== undefined))
    return namespace ?? '';
  const path = 'jsonpath={.contexts[0].context.namespace}';
  const { code, stdout } = await kubectl.run(['config', 'view', '--minify', '-o', path]);
  return (code === 0 && stdout.trim()) || 'default';
}
