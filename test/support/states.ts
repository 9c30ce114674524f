import { randomUUID } from 'node:crypto';
import { pathOf } from './pipe-settings.ts';
import type { Scene } from './scene.ts';
import type { Pset, SceneObjects, Spec } from './scene-objects.ts';

export const KINDS = ['PipeSettings', 'Organization', 'Activity'] as const;
export type KindName = (typeof KINDS)[number];

/** What the states of all kinds are made with: one object is one state, and has its name. */
export interface Maker extends Omit<SceneObjects<Pset>, 'create'> {
  readonly kind: KindName;
  readonly scene: Scene;
  /** Of the API: part of the path of every call for that object. */
  callsOf(name: string): string;
  /** Creates it or replaces its spec; its target is its own unless the spec says otherwise. */
  create(name: string, spec?: Spec): Promise<void>;
  /** The part of a spec that says what the object of this name stands for. */
  targetOf(name: string): Readonly<Record<string, string>>;
  /** The Secret with a key of the object's own. */
  keyOf(name: string): string;
}

export function makersOf(scene: Scene): Readonly<Record<KindName, Maker>> {
  const { psets, orgs, acts } = scene;
  const organizations = new Map<string, string>();
  // What the path of its calls ends with: no other name may begin with it.
  const recordOf = (name: string): string => `${name}.record`;
  const idOf = (name: string): string => {
    const id = organizations.get(name) ?? randomUUID();
    organizations.set(name, id);
    // Else it has one that no two runs have alike.
    if (!scene.simulator.organization(id))
      scene.simulator.setOrganization(id, { name: 'As it was' });
    return id;
  };
  return {
    PipeSettings: maker(scene, 'PipeSettings', psets, {
      callsOf: pathOf,
      targetOf: (name) => ({ pipeId: name }),
      create: psets.create,
    }),
    Organization: maker(scene, 'Organization', orgs, {
      callsOf: idOf,
      targetOf: (name) => ({ organizationId: idOf(name) }),
      create: (name, spec) =>
        orgs.create(name, { organizationId: idOf(name), name: 'Acme Data', ...spec }),
    }),
    Activity: maker(scene, 'Activity', acts, {
      callsOf: (name) => `/activities/${recordOf(name)}`,
      targetOf: (name) => ({ activityId: recordOf(name) }),
      create: async (name, spec) => {
        acts.record(recordOf(name));
        await acts.create(name, { activityId: recordOf(name), ...spec });
      },
    }),
  };
}

function maker(
  scene: Scene,
  kind: KindName,
  objects: SceneObjects<Pset>,
  own: Pick<Maker, 'callsOf' | 'targetOf' | 'create'>,
): Maker {
  return {
    ...objects,
    ...own,
    kind,
    scene,
    keyOf: (name) => `key-${kind.toLowerCase()}-${name}`,
  };
}
