import { COLUMNS, column, type Definition, readyColumn, wideColumn } from '../schema/definition.ts';
import { pendingStatus } from '../schema/status-fields.ts';
import { activityType, spec, status } from './resource.ts';

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
    column('Type', '.status.activity.type', 'Type of the activity.'),
    column('Actor', '.status.activity.actorId', 'Id of the actor.'),
    column('Created', '.status.activity.createdAt', 'When it happened, as the API reported it.'),
    COLUMNS.age,
    { ...COLUMNS.stalled, wide: true },
    COLUMNS.organization,
    wideColumn('Activity', '.spec.activityId', 'Id of the record.'),
    COLUMNS.requestId,
    COLUMNS.nextAttempt,
    COLUMNS.message,
  ],
  selectableFields: ['.spec.organizationId', '.spec.activityId', '.spec.credentialsSecretRef.name'],
};
