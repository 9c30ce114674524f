import { ageColumn, COLUMNS, type Definition, readyColumn } from '../schema/definition.ts';
import { pendingStatus } from '../schema/status-fields.ts';
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
    readyColumn('Whether the declared state is confirmed.'),
    COLUMNS.reason,
    { name: 'Pipe', path: '.spec.pipeId', about: 'The pipe.' },
    COLUMNS.lastApplied,
    ageColumn('Time since creation.'),
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
