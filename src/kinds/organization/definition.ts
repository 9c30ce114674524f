import { ageColumn, COLUMNS, type Definition, readyColumn } from '../schema/definition.ts';
import { pendingStatus } from '../schema/status-fields.ts';
import { organizationType, spec } from './resource.ts';
import { status } from './status.ts';

export const definition: Definition = {
  type: organizationType,
  singular: 'organization',
  shortName: 'org',
  about:
    'Organization holds the name and the private endpoints of one existing organization at the declared values.',
  spec,
  status,
  pendingStatus,
  columns: [
    readyColumn('Whether the declared state is confirmed.'),
    COLUMNS.reason,
    { name: 'Organization', path: '.spec.organizationId', about: 'The organization.' },
    COLUMNS.lastApplied,
    ageColumn('Time since creation.'),
    COLUMNS.requestId,
    COLUMNS.nextAttempt,
    COLUMNS.message,
  ],
  selectableFields: ['.spec.organizationId', '.spec.credentialsSecretRef.name'],
};
