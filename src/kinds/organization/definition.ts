import { COLUMNS, type Definition, readyColumn } from '../schema/definition.ts';
import { pendingStatus } from '../schema/status-fields.ts';
import { organizationType, spec } from './resource.ts';
import { status } from './status.ts';

export const definition: Definition = {
  type: organizationType,
  singular: 'organization',
  shortName: 'porg',
  about: 'Organization manages the name and the private endpoints of one existing organization.',
  spec,
  status,
  pendingStatus,
  columns: [
    readyColumn('True where the API has confirmed the declared state.'),
    COLUMNS.reason,
    COLUMNS.stalled,
    COLUMNS.lastApplied,
    COLUMNS.age,
    COLUMNS.organization,
    COLUMNS.requestId,
    COLUMNS.nextAttempt,
    COLUMNS.message,
  ],
  selectableFields: ['.spec.organizationId', '.spec.credentialsSecretRef.name'],
};
