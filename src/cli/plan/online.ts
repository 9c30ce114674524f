import { definitions } from '../../kinds/definitions.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { isForbidden } from '../cluster/kubectl.ts';
import { type Found, listObjects } from '../cluster/objects.ts';
import type { Context } from '../command.ts';
import type { Manifest, Manifests } from '../manifests/manifests.ts';
import { counted } from '../words.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { type Applied, foreseen, foreseenAbsences, subject, workedOnByNobody } from './foreseen.ts';
import { merged } from './merged.ts';
import { asNew } from './offline.ts';
import type { PlanFlags } from './plan.ts';
import type { Planned, PlannedObject } from './planned.ts';
import { type SettingOf, settingsFor } from './settings.ts';

/** Against the live objects, as the API server would store the manifests. */
export async function planWithCluster(
  context: Context,
  flags: PlanFlags,
  { ours, strays, skipped }: Manifests,
): Promise<Planned> {
  const now = context.clock.now();
  const valid = ours.filter(({ problems }) => problems.length === 0);
  const [settingOf, { live, isPartial }] = await Promise.all([
    settingsFor(context, flags),
    liveObjects(context, ours),
  ]);
  const gone = flags.prune === true ? await unlisted(context, flags, ours) : [];
  const results = await stored(context, flags, { valid, live, now });
  const judged = new Map(
    valid.map((manifest) => [
      manifest,
      judge(manifest, results.get(manifest), { live, settingOf }),
    ]),
  );
  const applied = [...judged.values()].flatMap((one) => ('applied' in one ? [one.applied] : []));
  const uids = new Set(gone.map(({ object }) => object.metadata.uid));
  const staying = live.filter(({ object }) => !uids.has(object.metadata.uid));
  const planned = new Map(foreseen(applied, staying).map((one) => [one.place, one]));
  if (isPartial)
    context.terminal.tell(
      'Only the namespaces of these manifests could be listed: objects of other namespaces that hold the same pipe or organization are not seen.',
    );
  return {
    objects: ours.map((manifest) => {
      const one = judged.get(manifest);
      if (one && 'planned' in one) return one.planned;
      const { problems } = manifest;
      return planned.get(manifest.place) ?? { ...subject(manifest), problems, remarks: [] };
    }),
    absent: foreseenAbsences(
      gone.map((found) => ({ found, setting: settingOf(found.object.metadata) })),
      applied,
      staying,
    ),
    strays,
    skipped,
    isOffline: false,
    now,
  };
}

type Judged = { readonly applied: Applied } | { readonly planned: PlannedObject };

/** What is to be forecast, or what is certain without. */
function judge(
  manifest: Manifest,
  result: DryRun | undefined,
  { live, settingOf }: { readonly live: readonly Found[]; readonly settingOf: SettingOf },
): Judged {
  if (!result) throw new Error(`nothing was found out of ${manifest.name}`);
  if ('problem' in result)
    return { planned: { ...subject(manifest), problems: [result.problem], remarks: [] } };
  const { namespace } = manifest;
  const { labels } = 'object' in result ? result.object.metadata : labelsOf(manifest);
  const setting = settingOf({ namespace, labels });
  const isNew = liveOf(manifest, live) === undefined;
  if (!setting) {
    const forecast = workedOnByNobody(namespace);
    return { planned: { ...subject(manifest), problems: [], forecast, isNew, remarks: [] } };
  }
  if ('isUnborn' in result) {
    const remark = `Namespace ${namespace} is not there yet, so the API server could not be asked`;
    return { applied: asNew(manifest, setting, [remark]) };
  }
  return { applied: { manifest, object: result.object, isNew, setting, remarks: [] } };
}

function labelsOf({ value }: Manifest): Pick<KubeObject['metadata'], 'labels'> {
  return value.metadata as KubeObject['metadata'];
}

/** All there are; where these may not be listed, those of the namespaces of the manifests. */
async function liveObjects(
  { kubectl }: Context,
  ours: readonly Manifest[],
): Promise<{ readonly live: readonly Found[]; readonly isPartial: boolean }> {
  try {
    return { live: await listObjects(kubectl, { namespace: undefined }), isPartial: false };
  } catch (error) {
    if (!isForbidden(error)) throw error;
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

async function stored(
  { kubectl, terminal }: Context,
  { dryRun: how, serverSide = false, forceConflicts = false }: PlanFlags,
  {
    valid,
    live,
    now,
  }: { readonly valid: readonly Manifest[]; readonly live: readonly Found[]; readonly now: number },
): Promise<ReadonlyMap<Manifest, DryRun>> {
  if (how === 'none')
    return new Map(
      valid.map((manifest) => [manifest, merged(manifest, liveOf(manifest, live), now)]),
    );
  const onProgress = (done: number): void => {
    if (done < valid.length) terminal.tell(`${done} of ${counted(valid.length, 'object')} tried`);
  };
  return dryRun(valid, { kubectl, serverSide, forceConflicts, onProgress });
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

/** Objects with these labels, in the namespaces that the flags name, that no manifest has. */
async function unlisted(
  context: Context,
  { selector = '', namespace }: PlanFlags,
  ours: readonly Manifest[],
): Promise<readonly Found[]> {
  const named = namespace === undefined ? [] : [namespace];
  const places = [...new Set([...named, ...ours.map((one) => one.namespace)])];
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
