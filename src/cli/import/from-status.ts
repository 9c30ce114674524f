import { definition as organizationDefinition } from '../../kinds/organization/definition.ts';
import { definition as pipeSettingsDefinition } from '../../kinds/pipe-settings/definition.ts';
import type { Proof } from '../../kinds/schema/status-fields.ts';
import { timestamp } from '../../kinds/status/canonical.ts';
import { type CommonStatus, REQUESTED_AT } from '../../kinds/status/common-status.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { type Found, getObject, parseObjectName, shortNameOf } from '../cluster/objects.ts';
import { type Context, type ExitCode, namespaceOf, type ScopeFlags } from '../command.ts';
import { OWNERS } from '../owners.ts';
import { createShell } from '../shell.ts';
import { UserError } from '../user-error.ts';
import { ago } from '../words.ts';
import { type Completion, completeOrganization, completePipeSettings } from './completed.ts';
import { asPoints, checkedYaml, type Manifest, shownLine } from './manifest.ts';

export interface FromStatusFlags extends ScopeFlags {
  readonly fromStatus?: string;
}

/** Prints a live object as a manifest, with what its last reply showed in its spec. */
export async function importFromStatus(
  { kubectl, terminal, clock }: Context,
  words: readonly string[],
  flags: FromStatusFlags,
): Promise<ExitCode> {
  if (flags.fromStatus === undefined || words.length > 0)
    throw new UserError(
      'say what to import: "organization ID", "pipe ORGANIZATION SERVICE PIPE" or --from-status KIND/NAME; more: kubectl pipewright import --help',
    );
  const name = parseObjectName([flags.fromStatus]);
  const found = await getObject(kubectl, name, await namespaceOf(kubectl, flags));
  const { complete, parseSpec } = completionOf(found);
  const time = replyTime(found.object);
  const read = complete(found.object);
  if (!read.ok)
    throw new UserError(
      `the spec of ${shortNameOf(found)} is not valid, so it cannot be completed: ${shownLine(read.message)}; correct it first`,
    );
  const { completed } = read;
  if (time === undefined || !completed)
    throw new UserError(
      `${shortNameOf(found)} shows no reply of the API yet, so there is nothing to complete its spec with; see why: ${explain(found, flags)}`,
    );
  const age = `the reply of ${time} (${ago(time, clock.now())})`;
  const manifest = {
    definition: found.definition,
    metadata: keptMetadata(found.object),
    spec: completed.spec,
  };
  const above = [
    `Completed ${timestamp(clock.now())} by ${age}.`,
    'Where nobody has changed anything at the API since, applying this changes nothing there.',
    ...asPoints(completed.leftOut),
  ];
  terminal.document(checkedYaml(manifest, above, parseSpec));
  terminal.tell(`Completed by ${age}; what was changed at the API since then is not in it.`);
  for (const remark of [...completed.leftOut, ...completed.remarks])
    terminal.tell(shownLine(`Remark: ${remark}`));
  return completed.leftOut.length > 0 ? 2 : 0;
}

function explain(found: Found, flags: FromStatusFlags): string {
  const { namespace } = found.object.metadata;
  return createShell(flags).plugin('explain', shortNameOf(found), '-n', namespace);
}

function completionOf({ definition }: Found): Completion {
  if (definition === pipeSettingsDefinition) return completePipeSettings;
  if (definition === organizationDefinition) return completeOrganization;
  throw new UserError(
    `--from-status is for ${pipeSettingsDefinition.type.kind} and ${organizationDefinition.type.kind}: ${definition.type.kind} declares nothing that a reply could complete; print it with kubectl get -o yaml`,
  );
}

/** When the reply came that the status shows; undefined: none has. */
function replyTime({ status }: KubeObject): string | undefined {
  const { lastRequest, proof, applied } = (status ?? {}) as CommonStatus & {
    readonly proof?: Proof;
    readonly applied?: { readonly time: string };
  };
  return lastRequest?.outcome === 'Succeeded' ? lastRequest.time : (proof ?? applied)?.time;
}

/**
 * Written by others, about one object of one cluster, or by which another tool knows what is its
 * own.
 */
const NOT_OF_A_MANIFEST: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REQUESTED_AT,
  'app.kubernetes.io/managed-by',
  ...OWNERS.flatMap((owner) => [...owner.labels, ...owner.annotations]),
]);

function keptMetadata({ metadata }: KubeObject): Manifest['metadata'] {
  const { name, namespace } = metadata;
  const labels = ownOf(metadata.labels);
  const annotations = ownOf(metadata.annotations);
  return { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) };
}

function ownOf(
  texts: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> | undefined {
  const own = Object.entries(texts).filter(([name]) => !NOT_OF_A_MANIFEST.has(name));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}
