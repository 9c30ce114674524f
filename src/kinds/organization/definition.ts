import type { Definition } from '../definition.ts';
import { pendingStatus } from '../status-fields.ts';
import { organizationType, spec } from './resource.ts';
import { status } from './status.ts';

export const definition: Definition = {
  type: organizationType,
  singular: 'organization',
  shortName: 'org',
  about: 'Organization holds the name and the private endpoints of one existing organization at the declared values.',
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
    { name: 'Organization', path: '.spec.organizationId', about: 'The organization.' },
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
  selectableFields: ['.spec.organizationId', '.spec.credentialsSecretRef.name'],
};
