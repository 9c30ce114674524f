import { COLUMNS, column, type Definition, readyColumn, wideColumn } from '../schema/definition.ts';
import { someOf, text } from '../schema/schema.ts';
import { commonStatus, pendingStatus } from '../schema/status-fields.ts';
import { RECORD, type RecordFieldName, recordFieldNames } from './record.ts';
import { activityType, spec } from './resource.ts';

const record = Object.fromEntries(
  recordFieldNames.map((name) => [name, text(RECORD[name].about, RECORD[name].max)]),
) as Record<RecordFieldName, ReturnType<typeof text>>;

export const status = someOf(
  'What the operator did and what the API reported. Only the operator writes it.',
  {
    ...commonStatus,
    activity: someOf(
      'The record as the API reported it; a field that the response omitted is absent. It contains names and addresses of people: grant read access with care.',
      record,
    ),
  },
);

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
