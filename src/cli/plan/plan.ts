import type { Context, ExitCode, ScopeFlags } from '../command.ts';
import { namespaceOf } from '../command.ts';
import { readDocuments } from '../manifests/documents.ts';
import { readSources } from '../manifests/files.ts';
import { type Manifests, readManifests } from '../manifests/manifests.ts';
import { UserError } from '../user-error.ts';
import { planOffline } from './offline.ts';
import { planWithCluster } from './online.ts';
import { type Planned, requestCount, withFate } from './planned.ts';
import { json } from './print-json.ts';
import { markdown } from './print-markdown.ts';
import { printText } from './print-text.ts';
import { givenBaseUrl } from './settings.ts';

export interface PlanFlags extends ScopeFlags {
  readonly filename: readonly string[];
  readonly offline?: boolean;
  /** Absent: server. */
  readonly dryRun?: string;
  readonly serverSide?: boolean;
  readonly forceConflicts?: boolean;
  readonly apiUrl?: string;
  readonly operatorNamespace?: string;
  readonly output: string;
  readonly prune?: boolean;
}

const FORMATS = ['text', 'json', 'markdown'];
const DRY_RUNS = ['server', 'none'];
const ASKING_CLUSTER = [
  ['prune', '--prune'],
  ['serverSide', '--server-side'],
  ['dryRun', '--dry-run'],
  ['operatorNamespace', '--operator-namespace'],
] as const;

/** Says what applying the manifests would send. 2: something would be sent. */
export async function plan(context: Context, flags: PlanFlags): Promise<ExitCode> {
  check(flags);
  const sources = await readSources(flags.filename, {
    stdin: process.stdin,
    stop: context.stop,
  });
  const documents = readDocuments(sources);
  if (documents.length === 0)
    throw new UserError(
      `there is no object in ${flags.filename.join(', ')}; check what was to write it, or name other files with -f`,
    );
  const namespace =
    flags.offline === true
      ? (flags.namespace ?? 'default')
      : await namespaceOf(context.kubectl, flags);
  const manifests = readManifests(documents, { namespace, isGiven: flags.namespace !== undefined });
  if (manifests.ours.length === 0 && manifests.strays.length === 0 && flags.prune !== true)
    return nothingOfOurs(context, manifests);
  const planned =
    flags.offline === true
      ? planOffline(context, flags, manifests)
      : await planWithCluster(context, flags, manifests);
  print(planned, context, flags.output);
  const invalid = withFate(planned, 'invalid').length + planned.strays.length;
  if (invalid > 0)
    throw new UserError(
      `${invalid} of ${planned.objects.length + planned.strays.length} objects ${invalid === 1 ? 'is' : 'are'} not valid; mend what stands under "not valid" and plan again`,
    );
  return requestCount(planned) > 0 ? 2 : 0;
}

function check(flags: PlanFlags): void {
  const { filename, output, dryRun, offline, prune, selector, serverSide, forceConflicts } = flags;
  if (filename.includes(''))
    throw new UserError('-f is empty; name files or folders with it, or - for stdin');
  if (!FORMATS.includes(output))
    throw new UserError(`-o ${output} is not known; give one of ${FORMATS.join(', ')}`);
  if (dryRun !== undefined && !DRY_RUNS.includes(dryRun))
    throw new UserError(`--dry-run=${dryRun} is not known; give one of ${DRY_RUNS.join(', ')}`);
  if (prune === true && selector === undefined)
    throw new UserError(
      '--prune needs -l: without labels nobody can tell which objects of the cluster belong to these manifests',
    );
  if (prune !== true && selector !== undefined)
    throw new UserError('-l is only for --prune; give both, or neither');
  if (serverSide === true && dryRun === 'none')
    throw new UserError(
      '--server-side needs the API server, which --dry-run=none does not ask; give one of the two',
    );
  if (forceConflicts === true && serverSide !== true)
    throw new UserError('--force-conflicts is only for --server-side; give both, or neither');
  const asking = ASKING_CLUSTER.find(([flag]) => flags[flag] !== undefined);
  if (asking && offline === true)
    throw new UserError(
      `${asking[1]} asks the cluster, and --offline does not; give one of the two`,
    );
  if (flags.apiUrl !== undefined) givenBaseUrl(flags.apiUrl);
}

function nothingOfOurs({ terminal }: Context, { skipped }: Manifests): ExitCode {
  terminal.tell(
    `There is nothing of Pipewright in these files: ${skipped} ${skipped === 1 ? 'document' : 'documents'} of other kinds.`,
  );
  return 0;
}

function print(planned: Planned, { terminal }: Context, output: string): void {
  if (output === 'json') terminal.document(json(planned));
  else if (output === 'markdown') terminal.document(markdown(planned));
  else printText(planned, terminal);
}
