import { definition as organization } from '../../kinds/organization/definition.ts';
import { definition as pipeSettings } from '../../kinds/pipe-settings/definition.ts';
import { apiVersionOf } from '../../kube/resource.ts';
import type { Context, Outcome } from '../command.ts';
import type { ConnectionFlags } from '../kubectl.ts';
import {
  type Found,
  GIT_TOOLS,
  getObjects,
  parseObjectName,
  responseOf,
  shortNameOf,
} from '../objects.ts';
import { specProblems } from '../spec-problems.ts';
import { UserError } from '../user-error.ts';
import { printableYaml } from '../yaml.ts';
import { type Completion, completeOrganization, completePipeSettings } from './completion.ts';

/** Prints a live object as a manifest, completed from what its last reply showed. */
export async function runExport(
  { kubectl, now }: Context,
  names: readonly string[],
  flags: ConnectionFlags,
): Promise<Outcome> {
  for (const { definition } of names.map(parseObjectName))
    if (definition !== organization && definition !== pipeSettings)
      throw new UserError(
        `${definition.type.kind} declares nothing that a reply could complete; name a PipeSettings or an Organization`,
      );
  const found = await getObjects(kubectl, names, flags);
  return { lines: found.flatMap((one) => manifestOf(one, now())), code: 0 };
}

/** Throws UserError where nothing is reported yet, or the spec itself is not valid. */
export function manifestOf(found: Found, now: number): readonly string[] {
  const { definition, object } = found;
  const [wrong] = specProblems(definition.spec, object.spec);
  if (wrong)
    throw new UserError(
      `${shortNameOf(found)} cannot be completed: ${wrong.message}; correct its spec first`,
    );
  const complete = definition === organization ? completeOrganization : completePipeSettings;
  // In the order of the schema.
  const spec = definition.spec.safeParse(object.spec).data;
  const completion = complete({ ...object, spec });
  if (!completion)
    throw new UserError(
      `${shortNameOf(found)} shows no reply of the API yet, so there is nothing to complete it with; see why: kubectl pipewright status ${shortNameOf(found)} -n ${object.metadata.namespace}`,
    );
  return print(found, completion, now);
}

function print({ definition, object }: Found, { spec, above, below }: Completion, now: number) {
  const { name, namespace, labels = {} } = object.metadata;
  // In another repository these would name the wrong owner.
  const marks: readonly string[] = Object.values(GIT_TOOLS).flat();
  const own = Object.entries(labels).filter(([label]) => !marks.includes(label));
  const manifest = {
    apiVersion: apiVersionOf(definition.type),
    kind: definition.type.kind,
    metadata: { name, namespace, ...(own.length > 0 && { labels: Object.fromEntries(own) }) },
    spec,
  };
  return [
    `# Completed from ${responseOf(object, now)}; later changes at the API are not in it.`,
    ...above.map((line) => `# ${line}`),
    ...printableYaml(manifest),
    ...below.map((line) => `  # ${line}`.trimEnd()),
  ];
}
