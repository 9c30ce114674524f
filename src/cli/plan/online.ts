import { normaliseBaseUrl, parseBaseUrl } from '../../api/http/base-url.ts';
import type { Announcement } from '../../config/announcement.ts';
import { definitions } from '../../kinds/definitions.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { announcements, worksOn } from '../cluster/announced.ts';
import { KubectlError } from '../cluster/kubectl.ts';
import { type Found, listObjects } from '../cluster/objects.ts';
import type { Context } from '../command.ts';
import type { Manifest, Manifests, Problem } from '../manifests/manifests.ts';
import { UserError } from '../user-error.ts';
import { counted } from '../words.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { type Applied, foreseen, foreseenAbsences, type Setting, subject } from './foreseen.ts';
import { merged } from './merged.ts';
import { asNew } from './offline.ts';
import type { PlanFlags } from './plan.ts';
import type { Planned } from './planned.ts';

/** Against the live objects, as the API server would store the manifests. */
export async function planWithCluster(
  context: Context,
  flags: PlanFlags,
  { ours, strays, skipped }: Manifests,
): Promise<Planned> {
  const valid = ours.filter(({ problems }) => problems.length === 0);
  const [operators, { live, isPartial }] = await Promise.all([
    operatorsFor(context, flags),
    liveObjects(context, ours),
  ]);
  const now = context.clock.now();
  const settingOf = (about: Parameters<typeof worksOn>[1]): Setting =>
    settingFor(operators, about, now);
  const results = await stored(context, flags, { valid, live, settingOf });
  const applied: Applied[] = [];
  const refused = new Map<Manifest, Problem>();
  for (const manifest of valid) {
    const result = results.get(manifest);
    if (!result) throw new Error(`nothing was found out of ${manifest.name}`);
    if ('problem' in result) refused.set(manifest, result.problem);
    else applied.push(appliedFrom(manifest, result, { live, settingOf, operators }));
  }
  const planned = foreseen(applied, live);
  const gone = flags.prune === true ? await unlisted(context, flags, ours) : [];
  if (isPartial)
    context.terminal.tell(
      'Only the namespaces of these manifests could be listed: objects of other namespaces that hold the same pipe or organization are not seen.',
    );
  return {
    objects: ours.map((manifest) => {
      const found = planned.find(({ place }) => place === manifest.place);
      const problem = refused.get(manifest);
      const problems = [...manifest.problems, ...(problem ? [problem] : [])];
      return found ?? { ...subject(manifest), problems, remarks: [] };
    }),
    absent: foreseenAbsences(
      gone.map((found) => ({ found, setting: settingOf(found.object.metadata) })),
      applied,
      live,
    ),
    strays,
    skipped,
    isOffline: false,
    now,
  };
}

/** With `--api-url` no operator is asked for. */
async function operatorsFor(
  { kubectl }: Context,
  { apiUrl, operatorNamespace }: PlanFlags,
): Promise<readonly Announcement[]> {
  if (apiUrl === undefined) {
    const found = await announcements(kubectl, operatorNamespace);
    if (found.length > 0) return found;
    throw new UserError(
      `no operator can be seen that says which API it calls${operatorNamespace === undefined ? '' : ` (looked in namespace ${operatorNamespace})`}; give the address with --api-url, or see what is wrong with kubectl pipewright doctor`,
    );
  }
  const parsed = parseBaseUrl(apiUrl, { allowHttp: true });
  if ('problem' in parsed) throw new UserError(`--api-url: ${parsed.problem}`);
  const everything = { version: '', namespaces: [], selector: '', secretSelector: '' };
  return [{ ...everything, apiUrl: normaliseBaseUrl(parsed.url), planOnly: false }];
}

/** Of the operator that works on this object; else of the first, as its flags may be changed. */
function settingFor(
  operators: readonly Announcement[],
  about: Parameters<typeof worksOn>[1],
  now: number,
): Setting {
  const [first] = operators;
  const operator = operators.find((one) => worksOn(one, about)) ?? first;
  if (!operator) throw new Error('a setting needs an operator');
  return { baseUrl: operator.apiUrl, planOnly: operator.planOnly, now };
}

/** All there are; where these may not be listed, those of the namespaces of the manifests. */
async function liveObjects(
  { kubectl }: Context,
  ours: readonly Manifest[],
): Promise<{ readonly live: readonly Found[]; readonly isPartial: boolean }> {
  try {
    return { live: await listObjects(kubectl, { namespace: undefined }), isPartial: false };
  } catch (error) {
    const isRefused = error instanceof KubectlError && error.failure.reason === 'Forbidden';
    if (!isRefused) throw error;
  }
  const namespaces = [...new Set(ours.map(({ namespace }) => namespace))];
  const lists = await Promise.all(
    namespaces.map((namespace) => listObjects(kubectl, { namespace }, definitionsIn(ours))),
  );
  return { live: lists.flat(), isPartial: true };
}

function definitionsIn(ours: readonly Manifest[]) {
  return definitions.filter((definition) => ours.some((one) => one.definition === definition));
}

interface Known {
  readonly live: readonly Found[];
  readonly settingOf: (about: Parameters<typeof worksOn>[1]) => Setting;
}

async function stored(
  { kubectl, terminal }: Context,
  { dryRun: how, serverSide = false }: PlanFlags,
  { valid, live, settingOf }: Known & { readonly valid: readonly Manifest[] },
): Promise<ReadonlyMap<Manifest, DryRun>> {
  if (how === 'none')
    return new Map(
      valid.map((manifest) => [manifest, merged(manifest, liveOf(manifest, live), settingOf)]),
    );
  const onProgress = (done: number): void => {
    if (done < valid.length) terminal.tell(`${done} of ${counted(valid.length, 'object')} tried`);
  };
  return dryRun(valid, { kubectl, serverSide, onProgress });
}

function liveOf(
  { definition, namespace, name }: Manifest,
  live: readonly Found[],
): KubeObject | undefined {
  return live.find(
    ({ definition: its, object: { metadata } }) =>
      its === definition && metadata.namespace === namespace && metadata.name === name,
  )?.object;
}

function appliedFrom(
  manifest: Manifest,
  result: Exclude<DryRun, { readonly problem: Problem }>,
  { live, settingOf, operators }: Known & { readonly operators: readonly Announcement[] },
): Applied {
  const { namespace } = manifest;
  const labels = (manifest.value.metadata as Partial<KubeObject['metadata']>).labels;
  const setting = settingOf({ namespace, labels });
  const unwatched = operators.some((one) => worksOn(one, { namespace, labels }))
    ? []
    : [
        `No operator works on namespace ${namespace} with these labels (--namespaces, --selector), so nothing is sent until one does`,
      ];
  if ('isUnborn' in result)
    return asNew(manifest, setting, [
      `Namespace ${namespace} is not there yet, so the API server could not be asked`,
      ...unwatched,
    ]);
  const isNew = liveOf(manifest, live) === undefined;
  return { manifest, object: result.object, isNew, setting, remarks: unwatched };
}

/** Objects with these labels, in the namespaces that the flags name, that no manifest has. */
async function unlisted(
  context: Context,
  { selector = '', allNamespaces, namespace }: PlanFlags,
  ours: readonly Manifest[],
): Promise<readonly Found[]> {
  const places =
    allNamespaces === true
      ? [undefined]
      : [
          ...new Set([
            ...(namespace === undefined ? [] : [namespace]),
            ...ours.map((one) => one.namespace),
          ]),
        ];
  const lists = await Promise.all(
    places.map((place) => listObjects(context.kubectl, { namespace: place, selector })),
  );
  const isListed = ({ definition, object: { metadata } }: Found): boolean =>
    ours.some(
      (one) =>
        one.definition === definition &&
        one.namespace === metadata.namespace &&
        one.name === metadata.name,
    );
  return lists
    .flat()
    .filter((found) => !isListed(found) && !found.object.metadata.deletionTimestamp);
}
