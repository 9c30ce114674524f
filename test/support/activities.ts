import type { Call, Simulator } from '../simulator/types.ts';
import { ORGANIZATION, objectsOf, type Pset } from './scene-objects.ts';

/**
 * An Activity as the API server gives it to its users; written down apart from the operator's own
 * types.
 */
export type Act = Omit<Pset, 'status'> & {
  readonly status: Pset['status'] & { readonly activity?: Readonly<Record<string, string>> };
};

/** What tests do with the Activities of a scene. */
export type Activities = ReturnType<typeof activitiesOf>;

/** Its record has its name, unless the spec says otherwise. */
export function activitiesOf(scene: {
  readonly namespace: string;
  readonly user: string;
  readonly simulator: Simulator;
}) {
  const { simulator } = scene;
  return {
    ...objectsOf<Act>(scene, 'pact', (activityId) => ({
      organizationId: ORGANIZATION,
      activityId,
    })),
    /** The record that the API has from now on, under the id of the same name. */
    record(id: string, late?: { readonly lateCalls: number }) {
      const record = fullRecord(id);
      simulator.setRecord(`/v1/organizations/${ORGANIZATION}/activities/${id}`, record, late);
      return record;
    },
    calls: (id: string): Call[] =>
      simulator.calls().filter(({ path }) => path.endsWith(`/activities/${id}`)),
  };
}

/** All ten fields, each with a value that is found nowhere else. */
function fullRecord(id: string) {
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
