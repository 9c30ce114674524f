import { ageColumn, COLUMNS, type Definition, readyColumn } from '../schema/definition.ts';
import { fields, optional, text } from '../schema/schema.ts';
import { commonStatus, pendingStatus } from '../schema/status-fields.ts';
import { RECORD, type RecordFieldName, recordFieldNames } from './record.ts';
import { activityType, spec } from './resource.ts';

type Shape = { [Name in RecordFieldName]: ReturnType<typeof optional<ReturnType<typeof text>>> };

const record = Object.fromEntries(
  recordFieldNames.map((name) => [name, optional(text(RECORD[name]))]),
) as Shape;

export const status = fields(
  'What the operator did and what the API reported. Only the operator writes it.',
  {
    ...commonStatus,
    activity: optional(
      fields(
        'The record as the API reported it; a field that the response omitted is absent. It contains names and addresses of people: grant read access with care.',
        record,
      ),
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
