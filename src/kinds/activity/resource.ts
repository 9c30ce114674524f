import type * as z from 'zod/mini';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import { type Stored, specParser } from '../schema/parser.ts';
import { fields, immutable } from '../schema/schema.ts';
import { credentialsSecretRef, identifier, suspend } from '../schema/spec-fields.ts';
import type { status } from './definition.ts';

export const GET_ACTIVITY = 'GetActivity';

export const activityType: ResourceType = {
  group: 'pipewright.dev',
  version: 'v1alpha1',
  plural: 'activities',
  kind: 'Activity',
};

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

export type ActivitySpec = Stored<z.output<typeof spec>>;
export type ActivityStatus = Stored<z.output<typeof status>>;

/**
 * As stored. `spec` is unknown until `parseSpec` has read it; `status` is ours and was checked by
 * the API server.
 */
export interface Activity extends KubeObject {
  readonly status?: ActivityStatus;
}

/** Reads the spec of a stored object; takes whatever the API server's schema takes. */
export const parseSpec = specParser(spec);

/** The segments of the path of its record. */
export function pathOf({ organizationId, activityId }: ActivitySpec): readonly string[] {
  return ['v1', 'organizations', organizationId, 'activities', activityId];
}
