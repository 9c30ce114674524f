import type { Definition } from '../definition.ts';
import { pendingStatus } from '../status-fields.ts';
import { pipeSettingsType, spec } from './resource.ts';
import { status } from './status.ts';

export const definition: Definition = {
  type: pipeSettingsType,
  singular: 'pipesettings',
  shortName: 'pset',
  about: 'PipeSettings holds the settings of one existing ingestion pipe at the declared values.',
  spec,
  status,
  pendingStatus,
  columns: [
    {
      name: 'Ready',
      path: '.status.conditions[?(@.type=="Ready")].status',
      about: 'Whether the declared state is confirmed.',
    },
    { name: 'Reason', path: '.status.conditions[?(@.type=="Ready")].reason', about: 'Why, in one word.' },
    { name: 'Pipe', path: '.spec.pipeId', about: 'The pipe.' },
    { name: 'Last Applied', path: '.status.applied.time', type: 'date', about: 'Time since the last confirmed write.' },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date', about: 'Time since creation.' },
    { name: 'Request ID', path: '.status.lastRequest.requestId', wide: true, about: 'requestId of the last reply.' },
    { name: 'Next Attempt', path: '.status.nextAttemptTime', wide: true, about: 'When the operator acts by itself.' },
    {
      name: 'Message',
      path: '.status.conditions[?(@.type=="Ready")].message',
      wide: true,
      about: 'What happened and what to do.',
    },
  ],
  selectableFields: ['.spec.organizationId', '.spec.serviceId', '.spec.pipeId', '.spec.credentialsSecretRef.name'],
};
