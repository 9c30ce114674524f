import type { Kind } from '../runtime/kind.ts';
import { createActivityKind } from './activity/index.ts';
import { GET_ACTIVITY } from './activity/remote.ts';
import type { KindContext } from './context.ts';
import { createOrganizationKind } from './organization/index.ts';
import { UPDATE_ORGANIZATION } from './organization/remote.ts';
import { createPipeSettingsKind } from './pipe-settings/index.ts';
import { UPDATE_PIPE_SETTINGS } from './pipe-settings/remote.ts';

/** Every kind there is. A new one is a folder beside this file, its entry here, and its operation below. */
export function createKinds(context: KindContext): readonly Kind[] {
  return [createPipeSettingsKind(context), createActivityKind(context), createOrganizationKind(context)];
}

/** The operation of each kind, as metrics name it. */
export const OPERATIONS: readonly string[] = [UPDATE_PIPE_SETTINGS, GET_ACTIVITY, UPDATE_ORGANIZATION];
