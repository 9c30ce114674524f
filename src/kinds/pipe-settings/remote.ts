import { encodePath } from '../../api/path.ts';
import type { CallRequest } from '../shared/calls.ts';
import { canonicalJson, digestOf } from '../shared/canonical.ts';
import type { Declared } from './echo.ts';
import type { PipeSettingsSpec } from './resource.ts';
import * as settings from './settings.ts';

export const UPDATE_PIPE_SETTINGS = 'UpdatePipeSettings';

export type SettingsRequest = ReturnType<typeof settingsRequest>;

/**
 * The one request this kind makes: PUT of the complete declared set, never a delta, never null,
 * never a key that the user did not write. Sending it twice is the same as sending it once.
 */
export function settingsRequest(baseUrl: string, spec: PipeSettingsSpec) {
  const { organizationId, serviceId, pipeId } = spec;
  const service = ['v1', 'organizations', organizationId, 'services', serviceId];
  const segments = [...service, 'pipes', pipeId, 'settings'];
  const path = encodePath(segments);
  const declared = declaredOf(spec);
  const body = canonicalJson(declared);
  const wire = { operation: UPDATE_PIPE_SETTINGS, method: 'PUT', path: segments, body } as const;
  const call: CallRequest = { ...wire, write: true, of: 'pipe' };
  // Identifies what is brought about where; `status.applied.requestHash`.
  const hash = digestOf('PUT', baseUrl, path, body);
  return { call, path, body, hash, keys: Object.keys(declared) };
}

/** All declared settings: first those of the API document, in its order. */
export function declaredOf(spec: PipeSettingsSpec): Declared {
  const known = settings.names.flatMap((name) => {
    const value = spec.settings[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(known), ...spec.additionalSettings };
}
