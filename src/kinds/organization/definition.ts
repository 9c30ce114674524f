import { define, ORGANIZATION, WRITING } from '../schema/definition.ts';
import { spec, organizationType as type } from './resource.ts';
import { status } from './status.ts';

export const definition = define({
  type,
  shortName: 'porg',
  about: 'Organization manages the name and the private endpoints of one existing organization.',
  spec,
  status,
  ...WRITING,
  wide: [ORGANIZATION],
  ids: ['organizationId'],
});
