import type { KubeObject } from '../../kube/resource.ts';
import type { Context } from '../command.ts';
import type { Manifest, Manifests } from '../manifests/manifests.ts';
import { type Applied, foreseen, type Setting, subject } from './foreseen.ts';
import type { PlanFlags } from './plan.ts';
import type { Planned } from './planned.ts';

/** By the schemas alone: every object is taken for one that is not there yet. */
export function planOffline(
  { clock }: Pick<Context, 'clock'>,
  flags: Pick<PlanFlags, 'apiUrl'>,
  { ours, strays, skipped }: Manifests,
): Planned {
  const now = clock.now();
  const setting = { baseUrl: flags.apiUrl ?? 'https://api.invalid', planOnly: false, now };
  const valid = ours.filter(({ problems }) => problems.length === 0);
  const planned = new Map(
    foreseen(
      valid.map((one) => asNew(one, setting)),
      [],
    ).map((one) => [one.place, one]),
  );
  return {
    objects: ours.map(
      (manifest) =>
        planned.get(manifest.place) ?? {
          ...subject(manifest),
          problems: manifest.problems,
          remarks: [],
        },
    ),
    absent: [],
    strays,
    skipped,
    isOffline: true,
    now,
  };
}

export function asNew(
  manifest: Manifest,
  setting: Setting,
  remarks: readonly string[] = [],
): Applied {
  return { manifest, object: newObject(manifest, setting.now), isNew: true, setting, remarks };
}

/** As the API server would store what it has never seen. */
export function newObject(
  { definition, name, namespace, value }: Manifest,
  now: number,
): KubeObject {
  const { labels, annotations } = (value.metadata ?? {}) as Partial<KubeObject['metadata']>;
  return {
    kind: definition.type.kind,
    metadata: {
      name,
      namespace,
      uid: `new ${definition.type.kind} ${namespace}/${name}`,
      resourceVersion: '',
      generation: 1,
      creationTimestamp: new Date(now).toISOString(),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: value.spec,
    status: definition.pendingStatus,
  };
}
