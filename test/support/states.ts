import { randomUUID } from 'node:crypto';
import type { Fault } from '../simulator/types.ts';
import { asAdmin, change } from './cluster.ts';
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
  /** A spec with another declared state, on top of what `create` gives. */
  readonly another: Spec;
  /** Waits for the condition `Stalled`; `pass` lets time pass. */
  untilStalled(name: string, pass: () => void): Promise<Pset>;
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
      another: { settings: { engine_max_threads: 4 } },
      callsOf: pathOf,
      targetOf: (name) => ({ pipeId: name }),
      create: psets.create,
    }),
    Organization: maker(scene, 'Organization', orgs, {
      another: { name: 'Acme Europe' },
      callsOf: idOf,
      targetOf: (name) => ({ organizationId: idOf(name) }),
      create: (name, spec) =>
        orgs.create(name, { organizationId: idOf(name), name: 'Acme Data', ...spec }),
    }),
    Activity: maker(scene, 'Activity', acts, {
      another: { credentialsSecretRef: { name: 'another' } },
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
  own: Pick<Maker, 'another' | 'callsOf' | 'targetOf' | 'create'>,
): Maker {
  return {
    ...objects,
    ...own,
    kind,
    scene,
    keyOf: (name) => `key-${kind.toLowerCase()}-${name}`,
    untilStalled: (name, pass) =>
      objects.untilIt(name, 'Stalled', ({ status }) => {
        pass();
        return status.conditions.some(({ type }) => type === 'Stalled');
      }),
  };
}

/** What is wrong with the first calls for an object, one where absent, and what it comes to. */
export interface Spoilt {
  readonly fault: Fault;
  /** So many calls go well before. */
  readonly after?: number;
  readonly times?: number;
  readonly reason: string;
}

/**
 * Brings an object to a state by spoiling the first calls for it. Later calls get no answer, so
 * that it stays what the first made of it. It has a key of its own, so that calls for others go on.
 */
export async function spoilt(
  make: Maker,
  name: string,
  { fault, after = 0, times = 1, reason }: Spoilt,
): Promise<void> {
  const { simulator } = make.scene;
  const match = { pathIncludes: make.callsOf(name) };
  await make.scene.newKey(make.keyOf(name));
  simulator.always({ hold: true }, match);
  if (after > 0) simulator.next({ play: {} }, { match, times: after });
  simulator.next(fault, { match, times });
  await make.create(name, { credentialsSecretRef: { name: make.keyOf(name) } });
  await make.until(name, reason);
}

/** Deletes it while a finalizer of somebody else keeps it. */
export async function deleteHeld(make: Maker, name: string): Promise<void> {
  await change(make.pathTo(name), (stored) => ({
    ...stored,
    metadata: { ...stored.metadata, finalizers: ['example.com/not-yet'] },
  }));
  await asAdmin('DELETE', make.pathTo(name));
}
