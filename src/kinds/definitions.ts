import { definition as activity } from './activity/definition.ts';
import { definition as organization } from './organization/definition.ts';
import { definition as pipeSettings } from './pipe-settings/definition.ts';
import type { Definition } from './schema/definition.ts';

/**
 * Every kind there is, for CRDs and documents. Apart from `index.ts`, so that the bundle of the
 * operator does not carry the schemas of status: it reads what it has written itself.
 */
export const definitions: readonly Definition[] = [pipeSettings, organization, activity];
