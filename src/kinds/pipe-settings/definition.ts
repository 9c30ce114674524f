import { ageColumn, COLUMNS, type Definition, readyColumn } from '../schema/definition.ts';
import { pendingStatus } from '../schema/status-fields.ts';
import { pipeSettingsType, spec } from './resource.ts';
import { status } from './status.ts';

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
    ageColumn('Time since this object was created.'),
    COLUMNS.organization,
    { name: 'Service', path: '.spec.serviceId', wide: true, about: 'Id of the service.' },
    { name: 'Pipe', path: '.spec.pipeId', wide: true, about: 'Id of the pipe.' },
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
