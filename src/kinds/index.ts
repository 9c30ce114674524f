import type { Kind } from '../controller/kind.ts';
import { createActivityKind } from './activity/index.ts';
import { GET_ACTIVITY } from './activity/resource.ts';
import type { KindContext } from './engine/context.ts';
import { createOrganizationKind } from './organization/index.ts';
import { UPDATE_ORGANIZATION } from './organization/remote.ts';
import { createPipeSettingsKind } from './pipe-settings/index.ts';
import { UPDATE_PIPE_SETTINGS } from './pipe-settings/remote.ts';

/**
 * Every kind there is, with the operation it calls as metrics name it. A new one is a folder beside
 * this file and its entry here.
 */
const KINDS = [
  { create: createPipeSettingsKind, operation: UPDATE_PIPE_SETTINGS },
  { create: createActivityKind, operation: GET_ACTIVITY },
  { create: createOrganizationKind, operation: UPDATE_ORGANIZATION },
];

export const OPERATIONS: readonly string[] = KINDS.map(({ operation }) => operation);

export function createKinds(context: KindContext): readonly Kind[] {
  return KINDS.map(({ create }) => create(context));
}
