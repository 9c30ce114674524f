import type { Definition } from './definition.ts';
import { definition as pipeSettings } from './pipe-settings/resource.ts';

/** Every kind there is; CRDs and the reference page are made from this list. */
export const definitions: readonly Definition[] = [pipeSettings];
