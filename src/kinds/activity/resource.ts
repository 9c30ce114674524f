import type * as z from 'zod/mini';
import type { KubeObject, ResourceType } from '../../kube/resource.ts';
import { type Stored, specParser } from '../definition.ts';
import { fields, immutable } from '../schema.ts';
import { credentialsSecretRef, identifier, suspend } from '../spec-fields.ts';
import type { status } from './status.ts';

export const activityType: ResourceType = {
  group: 'pipewright.dev',
  version: 'v1alpha1',
  plural: 'activities',
  kind: 'Activity',
};

interface RecordField {
  readonly about: string;
  /** Code points; what is longer is cut. */
  readonly max: number;
}

/** The ten fields of a record, under the API's own names: the one table of them and of their bounds. */
export const RECORD = {
  id: { about: 'Id of the activity.', max: 128 },
  createdAt: { about: 'When it happened, as the API writes it.', max: 64 },
  type: { about: 'Kind of activity.', max: 128 },
  actorType: { about: 'Kind of actor.', max: 128 },
  actorId: { about: 'Id of the actor.', max: 256 },
  actorDetails: { about: 'Details of the actor.', max: 1024 },
  actorIpAddress: { about: 'Address that the actor called from.', max: 256 },
  organizationId: { about: 'Organization concerned.', max: 128 },
  serviceId: { about: 'Service concerned.', max: 128 },
  userAgent: { about: 'User agent of the caller.', max: 1024 },
} as const satisfies Readonly<Record<string, RecordField>>;

export type RecordFieldName = keyof typeof RECORD;

/** In the order of the API document. */
export const recordFieldNames = Object.keys(RECORD) as readonly RecordFieldName[];

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

/** As stored. `spec` is unknown until `parseSpec` has read it; `status` is ours and was checked by the API server. */
export interface Activity extends KubeObject {
  readonly status?: ActivityStatus;
}

/** Reads the spec of a stored object; takes whatever the API server's schema takes. */
export const parseSpec = specParser(spec);
