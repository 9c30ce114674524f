import { definition as activity } from './activity/definition.ts';
import { definition as organization } from './organization/definition.ts';
import { definition as pipeSettings } from './pipe-settings/definition.ts';
import type { Definition } from './schema/definition.ts';

/**
 * Every kind there is. CRDs and the reference page are made from this list; the operator itself has
 * no use for it.
 */
export const definitions: readonly Definition[] = [pipeSettings, organization, activity];
