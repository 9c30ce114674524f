import type { KubeObject } from '../../kube/resource.ts';
import type { Context } from '../command.ts';
import type { Manifest, Manifests } from '../manifests/manifests.ts';
import { type Applied, foreseen, type Setting, subject } from './foreseen.ts';
import type { PlanFlags } from './plan.ts';
import type { Planned } from './planned.ts';

/** By the schemas alone: every object is taken for one that is not there yet. */
export function planOffline(
  { clock }: Context,
  flags: Pick<PlanFlags, 'apiUrl'>,
  { ours, strays, skipped }: Manifests,
): Planned {
  const now = clock.now();
  const setting = { baseUrl: flags.apiUrl ?? 'https://api.invalid', planOnly: false, now };
  const planned = foreseen(
    ours.filter(({ problems }) => problems.length === 0).map((one) => asNew(one, setting)),
    [],
  );
  return {
    objects: ours.map((manifest) => {
      const found = planned.find(({ place }) => place === manifest.place);
      return found ?? { ...subject(manifest), problems: manifest.problems, remarks: [] };
    }),
    absent: [],
    strays,
    skipped,
    isOffline: true,
    now,
  };
}

/** As the API server would store what it has never seen. */
export function asNew(
  manifest: Manifest,
  setting: Setting,
  remarks: readonly string[] = [],
): Applied {
  const { definition, name, namespace, value } = manifest;
  const { labels, annotations } = (value.metadata ?? {}) as Partial<KubeObject['metadata']>;
  const object: KubeObject = {
    kind: definition.type.kind,
    metadata: {
      name,
      namespace,
      uid: `new ${definition.type.kind} ${namespace}/${name}`,
      resourceVersion: '',
      generation: 1,
      creationTimestamp: new Date(setting.now).toISOString(),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    },
    spec: value.spec,
    status: definition.pendingStatus,
  };
  return { manifest, object, isNew: true, setting, remarks };
}
