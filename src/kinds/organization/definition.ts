import { COLUMNS, type Definition, readyColumn } from '../schema/definition.ts';
import { pendingStatus } from '../schema/status-fields.ts';
import { spec, organizationType as type } from './resource.ts';
import { status } from './status.ts';

export const definition: Definition = {
  type,
  spec,
  status,
  pendingStatus,
  singular: 'organization',
  shortName: 'porg',
  about: 'Organization manages the name and the private endpoints of one existing organization.',
  columns: [
    readyColumn('True where the API has confirmed the declared state.'),
    ...Object.values(COLUMNS),
  ],
  selectableFields: ['.spec.organizationId', '.spec.credentialsSecretRef.name'],
};
