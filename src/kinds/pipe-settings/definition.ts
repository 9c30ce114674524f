import { column, define, ORGANIZATION, WRITING } from '../schema/definition.ts';
import { spec, status, pipeSettingsType as type } from './resource.ts';

const SERVICE = column('Service', '.spec.serviceId', 'Id of the service.');
const PIPE = column('Pipe', '.spec.pipeId', 'Id of the pipe.');

export const definition = define({
  type,
  shortName: 'pset',
  about: 'PipeSettings manages the settings of one existing ingestion pipe.',
  spec,
  status,
  ...WRITING,
  wide: [ORGANIZATION, SERVICE, PIPE],
  ids: ['organizationId', 'serviceId', 'pipeId'],
});
