import { ageColumn, COLUMNS, type Definition, readyColumn } from '../schema/definition.ts';
import { pendingStatus } from '../schema/status-fields.ts';
import { activityType, spec } from './resource.ts';
import { status } from './status.ts';

export const definition: Definition = {
  type: activityType,
  singular: 'activity',
  shortName: 'act',
  about: 'Activity is one audit record of an organization, fetched once and kept.',
  spec,
  status,
  pendingStatus,
  columns: [
    readyColumn('Whether the record is there.'),
    { name: 'Type', path: '.status.activity.type', about: 'Kind of activity.' },
    { name: 'Actor', path: '.status.activity.actorId', about: 'Id of the actor.' },
    {
      name: 'Created',
      path: '.status.activity.createdAt',
      about: 'When it happened, as the API writes it.',
    },
    ageColumn('Time since creation of the object.'),
    { ...COLUMNS.reason, wide: true },
    COLUMNS.requestId,
    COLUMNS.nextAttempt,
    COLUMNS.message,
  ],
  selectableFields: ['.spec.organizationId', '.spec.activityId', '.spec.credentialsSecretRef.name'],
};
