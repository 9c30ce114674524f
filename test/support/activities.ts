import type { Call, Simulator } from '../simulator/types.ts';
import { ORGANIZATION, objectsOf, type Pset, type SceneObjects } from './scene-objects.ts';

/**
 * An Activity as the API server gives it to its users; written down apart from the operator's own
 * types.
 */
export type Act = Omit<Pset, 'status'> & {
  readonly metadata: { readonly creationTimestamp: string };
  readonly status: Pset['status'] & { readonly activity?: Readonly<Record<string, string>> };
};

/** What tests do with the Activities of a scene. */
export interface Activities extends SceneObjects<Act> {
  /**
   * The record that the API has from now on, under the id of the same name; all ten fields unless
   * told otherwise.
   */
  record(id: string, more?: RecordOptions): Readonly<Record<string, string>>;
  /** The calls for a record. */
  calls(id: string): Call[];
}

export interface RecordOptions {
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly lateCalls?: number;
  readonly lateMs?: number;
}

/** Its record has its name, unless the spec says otherwise. */
export function activitiesOf(scene: {
  readonly namespace: string;
  readonly user: string;
  readonly simulator: Simulator;
}): Activities {
  const { simulator } = scene;
  return {
    ...objectsOf<Act>(scene, {
      kind: 'Activity',
      plural: 'activities',
      spec: (name) => ({ organizationId: ORGANIZATION, activityId: name }),
    }),
    record(id, { fields, ...late } = {}) {
      const record = fullRecord(id);
      simulator.setActivity(ORGANIZATION, { ...(fields ?? record), id }, late);
      return record;
    },
    calls: (id) => simulator.calls().filter(({ path }) => path.endsWith(`/activities/${id}`)),
  };
}

/** All ten fields, each with a value that is found nowhere else. */
function fullRecord(id: string): Readonly<Record<string, string>> {
  return {
    id,
    createdAt: '2026-02-28T23:59:58.123Z',
    type: 'create_organization',
    actorType: 'user',
    actorId: `actor-${id}-9c41`,
    actorDetails: `jane.roe+${id}@example.org`,
    actorIpAddress: '203.0.113.77',
    organizationId: ORGANIZATION,
    serviceId: `service-of-${id}`,
    userAgent: `Mozilla/5.0 (canary ${id})`,
  };
}
