import { COLUMNS, type Definition, readyColumn, wideColumn } from '../schema/definition.ts';
import { pendingStatus } from '../schema/status-fields.ts';
import { pipeSettingsType, spec, status } from './resource.ts';

export const definition: Definition = {
  type: pipeSettingsType,
  singular: 'pipesettings',
  shortName: 'pset',
  about: 'PipeSettings manages the settings of one existing ingestion pipe.',
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
    wideColumn('Service', '.spec.serviceId', 'Id of the service.'),
    wideColumn('Pipe', '.spec.pipeId', 'Id of the pipe.'),
    COLUMNS.requestId,
    COLUMNS.nextAttempt,
    COLUMNS.message,
  ],
  selectableFields: [
    '.spec.organizationId',
    '.spec.serviceId',
    '.spec.pipeId',
    '.spec.credentialsSecretRef.name',
  ],
};
