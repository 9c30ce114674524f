import type { Kind } from '../runtime/kind.ts';
import { createActivityKind } from './activity/index.ts';
import type { KindContext } from './context.ts';
import { createOrganizationKind } from './organization/index.ts';
import { createPipeSettingsKind } from './pipe-settings/index.ts';

/** Every kind there is. A new one is a folder beside this file and a line here. */
export function createKinds(context: KindContext): readonly Kind[] {
  return [createPipeSettingsKind(context), createActivityKind(context), createOrganizationKind(context)];
}
