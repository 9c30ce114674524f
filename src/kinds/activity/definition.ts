import type { Definition } from '../definition.ts';
import { pendingStatus } from '../status-fields.ts';
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
    {
      name: 'Ready',
      path: '.status.conditions[?(@.type=="Ready")].status',
      about: 'Whether the record is there.',
    },
    { name: 'Type', path: '.status.activity.type', about: 'Kind of activity.' },
    { name: 'Actor', path: '.status.activity.actorId', about: 'Id of the actor.' },
    { name: 'Created', path: '.status.activity.createdAt', about: 'When it happened, as the API writes it.' },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date', about: 'Time since creation of the object.' },
    {
      name: 'Reason',
      path: '.status.conditions[?(@.type=="Ready")].reason',
      wide: true,
      about: 'Why, in one word.',
    },
    { name: 'Request ID', path: '.status.lastRequest.requestId', wide: true, about: 'requestId of the last reply.' },
    { name: 'Next Attempt', path: '.status.nextAttemptTime', wide: true, about: 'When the operator acts by itself.' },
    {
      name: 'Message',
      path: '.status.conditions[?(@.type=="Ready")].message',
      wide: true,
      about: 'What happened and what to do.',
    },
  ],
  selectableFields: ['.spec.organizationId', '.spec.activityId', '.spec.credentialsSecretRef.name'],
};
