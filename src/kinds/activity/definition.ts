import { ageColumn, COLUMNS, type Definition, readyColumn } from '../schema/definition.ts';
import { pendingStatus } from '../schema/status-fields.ts';
import { activityType, spec } from './resource.ts';
import { status } from './status.ts';

export const definition: Definition = {
  type: activityType,
  singular: 'activity',
  shortName: 'pact',
  about: 'Activity is one audit record of an organization, fetched once and kept.',
  spec,
  status,
  pendingStatus,
  columns: [
    readyColumn('True where status.activity holds the record.'),
    COLUMNS.reason,
    { name: 'Type', path: '.status.activity.type', about: 'Type of the activity.' },
    { name: 'Actor', path: '.status.activity.actorId', about: 'Id of the actor.' },
    {
      name: 'Created',
      path: '.status.activity.createdAt',
      about: 'When the activity happened, as the API reported it.',
    },
    ageColumn('Time since this object was created.'),
    { ...COLUMNS.stalled, wide: true },
    COLUMNS.organization,
    { name: 'Activity', path: '.spec.activityId', wide: true, about: 'Id of the record.' },
    COLUMNS.requestId,
    COLUMNS.nextAttempt,
    COLUMNS.message,
  ],
  selectableFields: ['.spec.organizationId', '.spec.activityId', '.spec.credentialsSecretRef.name'],
};
