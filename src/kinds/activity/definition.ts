import { column, define, ORGANIZATION, STALLED } from '../schema/definition.ts';
import { spec, status, activityType as type } from './resource.ts';

const CREATED = 'When it happened, as the API reported it.';

export const definition = define({
  type,
  shortName: 'pact',
  about: 'Activity is one audit record of an organization, fetched once and kept.',
  spec,
  status,
  ready: 'True where status.activity has the record.',
  columns: [
    column('Type', '.status.activity.type', 'Type of the activity.'),
    column('Actor', '.status.activity.actorId', 'Id of the actor.'),
    column('Created', '.status.activity.createdAt', CREATED),
  ],
  wide: [STALLED, ORGANIZATION, column('Activity', '.spec.activityId', 'Id of the record.')],
  ids: ['organizationId', 'activityId'],
  fetches: 'activity',
});
