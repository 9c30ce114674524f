import { define, ORGANIZATION, PIPE, SERVICE, WRITING } from '../schema/definition.ts';
import { spec, status, pipeSettingsType as type } from './resource.ts';

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
