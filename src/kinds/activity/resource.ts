import type * as z from 'zod/mini';
import type { KubeObject } from '../../kube/resource.ts';
import { typeOf } from '../schema/definition.ts';
import { type Stored, specParser } from '../schema/parser.ts';
import { fields, immutable, someOf, text } from '../schema/schema.ts';
import { credentialsSecretRef, identifier, suspend } from '../schema/spec-fields.ts';
import { statusOf } from '../schema/status-fields.ts';

export const GET_ACTIVITY = 'GetActivity';

export const activityType = typeOf('Activity', 'activities');

export const spec = fields(
  'One audit record of an organization.',
  {
    organizationId: identifier('Organization that the record belongs to.'),
    activityId: identifier('The record.'),
    credentialsSecretRef,
    suspend,
  },
  [immutable('organizationId', 'organization'), immutable('activityId', 'record')],
);

/** Under the API's own names. What is longer is cut. */
const RECORD = {
  id: text('Id of the activity.', 128),
  createdAt: text('When the activity happened, as the API reported it.', 64),
  type: text('Type of the activity.', 128),
  actorType: text('Type of the actor.', 128),
  actorId: text('Id of the actor.', 256),
  actorDetails: text('Details of the actor.', 1024),
  actorIpAddress: text('IP address of the actor.', 256),
  organizationId: text('Id of the organization.', 128),
  serviceId: text('Id of the service.', 128),
  userAgent: text('User agent of the caller.', 1024),
};
export const RECORD_FIELDS = Object.keys(RECORD).length;

export const record = someOf(
  'The record as the API reported it; a field that the response omitted is absent. It contains names and addresses of people: grant read access with care.',
  RECORD,
);

export const status = statusOf({ activity: record });

export type ActivitySpec = Stored<z.output<typeof spec>>;
export type ActivityStatus = Stored<z.output<typeof status>>;

/** As stored: `spec` is unknown until `parseSpec` has read it; `status` is ours. */
export interface Activity extends KubeObject {
  readonly status?: ActivityStatus;
}

/** Reads the spec of a stored object; takes whatever the API server's schema takes. */
export const parseSpec = specParser(spec);

/** The segments of the path of its record. */
export function pathOf({ organizationId, activityId }: ActivitySpec): readonly string[] {
  return ['v1', 'organizations', organizationId, 'activities', activityId];
}
