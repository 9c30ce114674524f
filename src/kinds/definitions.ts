import { definition as activity } from './activity/definition.ts';
import { definition as organization } from './organization/definition.ts';
import { definition as pipeSettings } from './pipe-settings/definition.ts';
import type { Definition } from './schema/definition.ts';

/** Every kind there is, for CRDs and documents. */
export const definitions: readonly Definition[] = [pipeSettings, organization, activity];
